import type { KubernetesObject } from "../api/wire.js";
import type { DiagnosticSink, Report } from "../diagnostics/sink.js";
import { byNamespaceAndName } from "../input/resources.js";
import type { Certificate, ServerCertificate } from "../model/listener.js";
import { ANY_HOST, type HostPattern, hostKey, hostText } from "../model/values.js";
import { Derived, Group, Input, SortedRows } from "../engine/tables.js";
import { compareBy, compareStrings, getOrInsert, memoized } from "../support/collections.js";
import { present } from "../support/json-object.js";
import { shortened } from "../support/text.js";
import type { BuildContext, CertificateCandidate } from "./config-builder.js";
import { type LoadedCertificate, isCertificateFor } from "./certificates.js";
import type { WantedName } from "./ingress/tls-hosts.js";
import { keysAbove } from "./hostnames.js";
import type { Key } from "./keys.js";
import type { EntryPort, LoadBalancer } from "./load-balancer.js";
import type { Place } from "./place.js";
import { compareAge } from "./precedence.js";
import { parseCertificateName, parseNamespacedName } from "./reference-grants.js";
import { hintForUnread } from "./unread-secrets.js";

/** The port that serves a certificate, and the field that says so. */
interface ServedAt {
  readonly port: Pick<EntryPort, "server" | "port">;
  readonly place: Place;
  readonly context: BuildContext;
}

/** Serves the certificate of the Secret `<namespace>/<name>` or `<namespace>_<name>` for a host; ANY_HOST makes it the default. */
export function addServerCertificate(reference: string, host: HostPattern, use: ServedAt): void {
  const { context, place } = use;
  const name = parseCertificateName(reference);
  if (!name.ok) {
    context.diagnostics.report({ code: "CERTIFICATE_UNUSABLE", message: name.problem, ...place });
    return;
  }
  const loaded = context.certificates.load(name.value, place);
  if (loaded === undefined) return;
  reportOtherHosts([loaded], [host], use);
  serveCertificate(loaded.id, host, use);
}

const MOST_NAMED = 3;

/** Reports the hosts that no certificate matches: clients refuse the connection. */
export function reportOtherHosts(
  certificates: readonly LoadedCertificate[],
  hosts: readonly HostPattern[],
  { context, place }: Pick<ServedAt, "context" | "place">,
): void {
  const others = hosts
    .filter((host) => !certificates.some(({ isFor }) => isFor(host)))
    .map(hostText);
  if (others.length === 0) return;
  const secrets = certificates.map(({ secret }) => `${secret.namespace}/${secret.name}`);
  const message = `the certificate of Secret ${secrets.slice(0, MOST_NAMED).join(", ")} is not for ${shortened(others, MOST_NAMED)}`;
  context.diagnostics.report({ code: "CERTIFICATE_HOST_MISMATCH", message, ...place });
}

/** A name for which an Ingress wants TLS on a server, and which no certificate of Ingresses is for (TlsHosts). */
interface Uncovered {
  readonly server: string;
  readonly wanted: WantedName;
}

/** Reports names for which clients get a certificate that is not for them. */
export function reportUncovered(
  uncovered: readonly Uncovered[],
  served: readonly ServerCertificate[],
  certificates: readonly Certificate[],
  diagnostics: DiagnosticSink,
): void {
  if (uncovered.length === 0) return;
  const byId = certificatesById(certificates);
  const byKey = idsByPlace(served);
  const groups = new Map<
    string,
    { readonly hosts: Set<string>; readonly place: Place; readonly why: string }
  >();
  for (const { server, wanted } of uncovered) {
    const { name: host, missing, place } = wanted;
    if (missing === undefined) continue;
    const at = (key: string): string | undefined => byKey.get(`${server}|${key}`);
    const own =
      keysAbove(host, "one")
        .map(at)
        .find((each) => each !== undefined) ?? "";
    const answer = byId.get(own) ?? byId.get(at("") ?? "");
    if (answer !== undefined && isCertificateFor(answer, host)) continue;
    const seen = answer === undefined ? "a self-signed one" : "one for other hosts";
    const why = `its TLS ${missing}, so clients get ${seen} and refuse it`;
    const group = getOrInsert(groups, JSON.stringify([place, why]), () => {
      return { hosts: new Set<string>(), place, why };
    });
    group.hosts.add(hostText(host));
  }
  for (const { hosts, place, why } of groups.values()) {
    const message = `no certificate is for ${shortened([...hosts].sort(compareStrings), MOST_NAMED)}: ${why}`;
    diagnostics.report({ code: "TLS_WITHOUT_CERTIFICATE", message, ...place });
  }
}

// Both lists stay the same objects while nothing in them changes, so a change elsewhere does not walk all certificates.
const certificatesById = memoized(
  (certificates: readonly Certificate[]) => new Map(certificates.map((each) => [each.id, each])),
);
const idsByPlace = memoized(
  (served: readonly ServerCertificate[]) =>
    new Map(served.map((each) => [placeKey(each), each.certificate ?? ""])),
);

/** Serves a loaded certificate. If the host has another one already, that one stays, and a report says so. */
export function serveCertificate(
  certificate: string,
  host: HostPattern,
  { context, port, place }: ServedAt,
): void {
  context.config.addCertificate(
    { server: port.server, host, certificate },
    { port: port.port, place },
  );
}

/** The part of a translated object that matters here (EntryPart). */
interface ServingPart {
  readonly object: KubernetesObject;
  readonly served: readonly CertificateCandidate[];
}

/** `first` wins over all others; those of TlsHosts and `last` lose to the objects'. */
type Candidate = CertificateCandidate & {
  readonly from: KubernetesObject | "first" | "below" | "last";
};

/** The certificates of all servers. Of the candidates for a host, the first one is served. Those that lose are reported. */
export class ServedCertificates {
  readonly #candidates = new Input<readonly Candidate[]>();
  /** By server and host. */
  readonly #places = new Group(
    this.#candidates,
    (all) => all.map((each) => [placeKey(each.certificate), each] as const),
    winnerOf,
  );
  readonly #served = new Derived(
    this.#places,
    ({ certificate }) => certificate,
    (a, b) => a.certificate === b.certificate,
  );
  readonly #conflicts = new Derived(this.#places, ({ conflicts }) =>
    conflicts.length === 0 ? undefined : conflicts,
  );
  readonly #list = new SortedRows(this.#served, byPlace);

  /** Replaces the certificates of an object. */
  replace(key: Key, part: ServingPart | undefined): void {
    this.#set(key, part?.served ?? [], part?.object ?? "last");
  }

  /** Replaces the certificates of a load balancer's server for hosts below wildcards (TlsHosts). They have no candidates of their own. */
  serveBelow(
    balancer: number,
    server: string | undefined,
    hosts: Iterable<Omit<ServerCertificate, "server">>,
  ): void {
    const below =
      server === undefined
        ? []
        : Array.from(hosts, (each) => ({ certificate: { server, ...each } }));
    this.#set(`below ${String(balancer)}`, below, "below");
  }

  /** Sorted by server and host. */
  served(
    first: readonly CertificateCandidate[],
    last: readonly CertificateCandidate[],
    diagnostics: DiagnosticSink,
  ): readonly ServerCertificate[] {
    this.#set("first", first, "first");
    this.#set("last", last, "last");
    this.#places.update();
    this.#served.update();
    this.#conflicts.update();
    for (const reports of this.#conflicts.values()) diagnostics.addAll(reports);
    return this.#list.values;
  }

  #set(key: Key, all: readonly CertificateCandidate[], from: Candidate["from"]): void {
    this.#candidates.set(
      key,
      all.length === 0 ? undefined : all.map((each) => ({ ...each, from })),
    );
  }
}

function winnerOf(candidates: readonly Candidate[]): {
  readonly certificate: ServerCertificate | undefined;
  readonly conflicts: readonly Report[];
} {
  const all = candidates.length === 1 ? candidates : candidates.toSorted(inOrder);
  const [winner = all[0]] = all.filter(({ certificate }) => certificate.certificate !== undefined);
  const conflicts = all.flatMap(({ certificate: { certificate, host }, wanted }): Report[] => {
    if (wanted === undefined || certificate === winner?.certificate.certificate) return [];
    const message = `${hostKey(host) || "the port"} has another certificate already on port ${String(wanted.port)}`;
    return [{ code: "CERTIFICATE_CONFLICT", message, ...wanted.place }];
  });
  return { certificate: winner?.certificate, conflicts };
}

/** Rules before Ingresses, older Ingresses before younger ones. */
const inOrder = compareBy<Candidate>(
  ({ from: a }, { from: b }) => placeOf(a) - placeOf(b),
  ({ from: a }, { from: b }) => (isObject(a) && isObject(b) ? compareObjects(a, b) : 0),
);

const compareObjects = compareBy<KubernetesObject>(
  (a, b) => compareStrings(b.kind, a.kind),
  (a, b) => (a.kind === "Rule" ? byNamespaceAndName(a, b) : compareAge(a, b)),
);

function isObject(from: Candidate["from"]): from is KubernetesObject {
  return typeof from !== "string";
}

function placeOf(from: Candidate["from"]): number {
  return isObject(from) ? 1 : ["first", "", "below", "last"].indexOf(from);
}

const byPlace = compareBy<ServerCertificate>(
  (a, b) => compareStrings(a.server, b.server),
  (a, b) => compareStrings(hostKey(a.host), hostKey(b.host)),
);

function placeKey({ server, host }: ServerCertificate): string {
  return `${server}|${hostKey(host)}`;
}

/** The option defaultCertificate is for the HTTPS ports that have no default of their own. */
export function fallbackCertificates(
  balancers: readonly LoadBalancer[],
  context: BuildContext,
): readonly CertificateCandidate[] {
  const { options, certificates, diagnostics } = context;
  if (options.defaultCertificate === "") return [];
  const name = parseNamespacedName(options.defaultCertificate);
  const loaded = name.ok ? certificates.read(name.value) : name;
  if (!loaded.ok) {
    const message = `option defaultCertificate: ${loaded.problem}`;
    const hint = name.ok ? hintForUnread(name.value, context) : undefined;
    diagnostics.report({ code: "CERTIFICATE_UNUSABLE", message, ...present("hint", hint) });
    return [];
  }
  const { id: certificate } = loaded.value;
  return balancers.flatMap(({ ports }) =>
    ports.flatMap(({ tls, server }) =>
      tls ? [{ certificate: { server, host: ANY_HOST, certificate } }] : [],
    ),
  );
}
