import { ANY_HOST } from "../model/host-pattern.js";
import type { BuildContext } from "./build-context.js";
import type { LoadBalancer } from "./load-balancer.js";
import { parseNamespacedName } from "./references.js";

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
