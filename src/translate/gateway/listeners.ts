import { present } from "../../support/json-object.js";
import type { BuildContext } from "../config-builder.js";
import { serverId } from "../load-balancer.js";
import { sourceRef } from "../place.js";
import { unavailability } from "../unavailable-ports.js";
import type { AddressedGateway } from "./addresses.js";
import { clientValidation } from "./certificate-authorities.js";
import { type ListenerCertificates, endsTls } from "./gateway-certificates.js";
import type { TranslatedListener, WrittenListener } from "./model.js";
import { HOLDS, type Refused, type Verdict, firstRefused, refused } from "./verdict.js";

/** What earlier steps found out about listeners. */
export interface ListenerFindings {
  readonly conflicts: ReadonlyMap<WrittenListener, Refused>;
  /** Listeners that get no sockets. */
  readonly overBudget: Pick<ReadonlyMap<WrittenListener, Refused>, "get">;
  readonly certificates: ReadonlyMap<WrittenListener, ListenerCertificates>;
  readonly overlaps: ReadonlyMap<WrittenListener, Pick<Refused, "reason" | "message">>;
}

/**
 * Decides whether a listener is served and adds a served HTTP or HTTPS listener to the data plane. The caller adds certificates, and
 * streams/stream-routes.ts listeners of streams.
 */
export function translateListener(
  listener: WrittenListener,
  gateway: AddressedGateway,
  findings: ListenerFindings,
  context: BuildContext,
): TranslatedListener {
  const { assignment } = gateway;
  const conflict = findings.conflicts.get(listener);
  const { certificates, verdict } = findings.certificates.get(listener) ?? NO_CERTIFICATES;
  const clients = listener.tls
    ? clientValidation(listener.gateway, listener.port, context)
    : NOT_VALIDATED;
  const accepted =
    conflict ??
    firstRefused([
      listener.written,
      portVerdict(listener, gateway, context),
      findings.overBudget.get(listener) ?? HOLDS,
      clients.accepted,
    ]);
  const resolvedRefs = firstRefused([verdict, clients.resolvedRefs, listener.routeKindsVerdict]);
  const hasCertificate = !endsTls(listener) || certificates.length > 0;
  const usable = listener.kinds.length > 0 && hasCertificate ? HOLDS : resolvedRefs;
  const programmed = programmedVerdict(accepted, usable, gateway);
  const overlap = accepted.ok ? findings.overlaps.get(listener) : undefined;
  const translated: TranslatedListener = {
    ...listener,
    ...(programmed.ok && { serves: servedAs(listener, assignment.addresses) }),
    accepted,
    resolvedRefs,
    programmed,
    certificates,
    ...present("conflict", conflict),
    ...present("overlap", overlap),
    ...present("clientCertificates", clients.clientCertificates),
  };
  addToConfig(translated, assignment.addresses, context);
  return translated;
}

const NOT_VALIDATED: ReturnType<typeof clientValidation> = { accepted: HOLDS, resolvedRefs: HOLDS };
const NO_CERTIFICATES: ListenerCertificates = { certificates: [], verdict: HOLDS };

function portVerdict(
  { port, stream }: WrittenListener,
  { assignment: { addresses } }: AddressedGateway,
  context: BuildContext,
): Verdict {
  const transport = stream === "udp" ? "udp" : "tcp";
  const message = unavailability({ addresses, port, transport }, context);
  return message === undefined ? HOLDS : refused("PortUnavailable", message);
}

/** Reasons that are about the listener's port stay as they are; every other problem of the listener is Invalid. */
function programmedVerdict(
  accepted: Verdict,
  usable: Verdict,
  { written, assignment }: AddressedGateway,
): Verdict {
  if (!written.ok) return refused("Invalid", `the Gateway is not accepted: ${written.message}`);
  if (!accepted.ok) {
    const isOfPort = /Conflict$|^PortUnavailable$|^NoResources$/.test(accepted.reason);
    return isOfPort ? accepted : refused("Invalid", accepted.message);
  }
  if (!usable.ok) return refused("Invalid", usable.message);
  return assignment.isServed ? HOLDS : assignment.verdict;
}

function servedAs(
  { parent, name, port, stream }: WrittenListener,
  [address]: readonly string[],
): NonNullable<TranslatedListener["serves"]> {
  const { kind, metadata } = parent;
  const server = serverId(port, stream === "udp" ? "udp" : "tcp");
  return {
    listener: `${kind.toLowerCase()}/${metadata.namespace}/${metadata.name}/${name}`,
    server: address === undefined ? server : `a${address.replace(/[^0-9a-z]/g, "-")}-${server}`,
  };
}

function addToConfig(
  listener: TranslatedListener,
  addresses: readonly string[],
  { config }: BuildContext,
): void {
  const { gateway, parent, serves, port, tls, stream, hostname, place } = listener;
  if (serves === undefined || stream !== undefined) return;
  const { clientCertificates } = listener;
  const source = sourceRef(place);
  const closed = parent.closed ?? gateway.closed;
  if (closed !== undefined)
    config.closeListener({ id: serves.listener, source, what: closed.what });
  config.addListener(
    { id: serves.server, addresses, port, tls },
    {
      id: serves.listener,
      server: serves.server,
      hostname,
      isolated: true,
      ...(clientCertificates && { clientCertificates }),
    },
  );
}
