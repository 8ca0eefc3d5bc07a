import type { HostPattern } from "../model/values.js";
import { ANY_HOST, hostKey, hostText } from "../model/values.js";
import type { BuildContext } from "./context.js";
import type { LoadedCertificate } from "./certificates.js";
import type { EntryPort, LoadBalancer } from "./load-balancer.js";
import type { Place } from "./place.js";
import { parseCertificateName, parseNamespacedName } from "./reference-grants.js";

/** Where a certificate is to be served, and where that is written. */
interface CertificateUse {
  readonly port: Pick<EntryPort, "server" | "port">;
  readonly place: Place;
  readonly context: BuildContext;
}

/** Serves the certificate of the secret `<namespace>/<name>` or `<namespace>_<name>` for a host; ANY_HOST is the default. */
export function addServerCertificate(
  reference: string,
  host: HostPattern,
  use: CertificateUse,
): void {
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

/** Reports the hosts that none of the certificates is for: clients refuse them there. */
export function reportOtherHosts(
  certificates: readonly LoadedCertificate[],
  hosts: readonly HostPattern[],
  { context, place }: Pick<CertificateUse, "context" | "place">,
): void {
  const others = hosts
    .filter((host) => !certificates.some(({ isFor }) => isFor(host)))
    .map(hostText);
  if (others.length === 0) return;
  const secrets = certificates.map(({ secret }) => `${secret.namespace}/${secret.name}`);
  const named = others.slice(0, MOST_NAMED).join(", ");
  const more = others.length > MOST_NAMED ? ` and ${String(others.length - MOST_NAMED)} more` : "";
  const message = `the certificate of Secret ${secrets.slice(0, MOST_NAMED).join(", ")} is not for ${named}${more}`;
  context.diagnostics.report({ code: "CERTIFICATE_HOST_MISMATCH", message, ...place });
}

/** Serves a loaded certificate; when the host has another one already, that one stays and this is reported. */
export function serveCertificate(
  certificate: string,
  host: HostPattern,
  { context, port, place }: CertificateUse,
): void {
  const other = context.config.addCertificate({ server: port.server, host, certificate });
  if (other === undefined) return;
  context.diagnostics.report({
    code: "CERTIFICATE_CONFLICT",
    message: `${hostKey(host) || "the port"} has another certificate already on port ${String(port.port)}`,
    ...place,
  });
}

/** The option defaultCertificate is for the HTTPS ports that have no default of their own. */
export function addFallbackCertificate(
  balancers: readonly LoadBalancer[],
  { options, config, certificates, diagnostics }: BuildContext,
): void {
  if (options.defaultCertificate === "") return;
  const name = parseNamespacedName(options.defaultCertificate);
  const loaded = name.ok ? certificates.read(name.value) : name;
  if (!loaded.ok) {
    const message = `option defaultCertificate: ${loaded.problem}`;
    const hint = name.ok ? certificates.hintFor(name.value) : {};
    diagnostics.report({ code: "CERTIFICATE_UNUSABLE", message, ...hint });
    return;
  }
  for (const { tls, server } of balancers.flatMap(({ ports }) => ports)) {
    if (tls) config.addCertificate({ server, host: ANY_HOST, certificate: loaded.value.id });
  }
}
