import type { GatewayListener } from "../../api/gateway.js";
import { hostKey } from "../../model/values.js";
import type { BuildContext } from "../context.js";
import type { LoadedCertificate } from "../certificates.js";
import { keysAbove } from "../hostnames.js";
import { within } from "../place.js";
import { parseNamespacedName } from "../reference-grants.js";
import { reportOtherHosts, serveCertificate } from "../server-certificates.js";
import { lookUpCertificate } from "./certificate-reference.js";
import type { ListenerDraft } from "./listener-draft.js";
import type { TranslatedListener } from "./model.js";
import type { Refused, Verdict } from "./verdict.js";
import { HOLDS, refused } from "./verdict.js";

export interface ListenerCertificates {
  /** Those that can be used, in the listener's order. */
  readonly certificates: readonly LoadedCertificate[];
  /** InvalidCertificateRef, RefNotPermitted. */
  readonly verdict: Verdict;
}

/** Whether a listener ends TLS, and needs a certificate for that. */
export function endsTls({ protocol, tls }: GatewayListener): boolean {
  return protocol === "HTTPS" || (protocol === "TLS" && tls?.mode !== "Passthrough");
}

/** The certificates of a listener that ends TLS. One that names none has that of the option defaultCertificate. */
export function listenerCertificates(
  { spec, place }: ListenerDraft,
  context: BuildContext,
): ListenerCertificates {
  if (!endsTls(spec)) return { certificates: [], verdict: HOLDS };
  const refs = spec.tls?.certificateRefs ?? [];
  if (refs.length === 0) return defaultCertificate(context);
  const found = refs.map((ref, index) =>
    lookUpCertificate(
      ref,
      within(place, "tls", "certificateRefs", index),
      "InvalidCertificateRef",
      context,
    ),
  );
  return {
    certificates: found.flatMap((lookup) => (lookup.ok ? [lookup.certificate] : [])),
    verdict: found.find((lookup): lookup is Refused => !lookup.ok) ?? HOLDS,
  };
}

function defaultCertificate({ options, certificates }: BuildContext): ListenerCertificates {
  const none = "the listener names no certificate";
  if (options.defaultCertificate === "") {
    return { certificates: [], verdict: refused("InvalidCertificateRef", none) };
  }
  const name = parseNamespacedName(options.defaultCertificate);
  const loaded = name.ok ? certificates.read(name.value) : name;
  return loaded.ok
    ? { certificates: [loaded.value], verdict: HOLDS }
    : {
        certificates: [],
        verdict: refused(
          "InvalidCertificateRef",
          `${none}, and option defaultCertificate: ${loaded.problem}`,
        ),
      };
}

/**
 * Serves the certificates of HTTPS listeners: the first one for the hostname, and of several each one also for the names in it that belong
 * to the listener, so that clients get the one that is for them.
 */
export function serveListenerCertificates(
  served: readonly TranslatedListener[],
  context: BuildContext,
): void {
  for (const { hostname, serves, place, certificates } of served) {
    if (serves === undefined || certificates.length === 0) continue;
    reportOtherHosts(certificates, [hostname], { place: within(place, "tls"), context });
  }
  const listeners = served.filter(({ stream }) => stream === undefined);
  for (const { hostname, port, serves, place, certificates } of listeners) {
    const [first] = certificates;
    if (serves === undefined || first === undefined) continue;
    const use = { port: { server: serves.server, port }, place, context };
    serveCertificate(first.id, hostname, use);
  }
  const owners = hostOwners(context.config);
  for (const listener of listeners) {
    if (listener.certificates.length > 1) serveByNames(listener, owners, context.config);
  }
}

/** The listeners' ids by server and host, with the hosts that they keep. */
function hostOwners(config: BuildContext["config"]): ReadonlyMap<string, string> {
  return new Map(
    config
      .listeners()
      .flatMap(({ id, server, hostname, keeps = [] }) =>
        [hostname, ...keeps].map((host) => [`${server} ${hostKey(host)}`, id] as const),
      ),
  );
}

function serveByNames(
  { serves, certificates }: TranslatedListener,
  owners: ReadonlyMap<string, string>,
  config: BuildContext["config"],
): void {
  if (serves === undefined) return;
  const { server, listener } = serves;
  for (const { id, names } of certificates) {
    for (const host of names) {
      const keys = [...keysAbove(host, "one"), ...keysAbove(host, "many"), ""];
      const owner = keys.find((key) => owners.has(`${server} ${key}`)) ?? "";
      // A name that has a certificate keeps it.
      if (owners.get(`${server} ${owner}`) === listener) {
        config.addCertificate({ server, host, certificate: id });
      }
    }
  }
}
