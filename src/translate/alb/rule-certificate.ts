import type { Rule } from "../../api/alb.js";
import type { HostPattern } from "../../model/host-pattern.js";
import type { BuildContext } from "../build-context.js";
import type { EntryPort } from "../entry-port.js";
import { parseHostPattern } from "../hostnames.js";
import { placeOf } from "../place.js";
import { addServerCertificate } from "../server-certificates.js";

/** The Rule's certificate for its `domain`, or for the hosts that it matches when it names none. */
export function addRuleCertificate(
  rule: Rule,
  hosts: readonly HostPattern[],
  port: EntryPort,
  context: BuildContext,
): void {
  const name = rule.spec.certificate_name ?? "";
  if (name === "" || !port.tls) return;
  const domain = rule.spec.domain ?? "";
  const parsed = domain === "" ? undefined : parseHostPattern(domain, "one");
  if (parsed?.ok === false) {
    const place = placeOf(rule, "spec", "domain");
    context.diagnostics.report({ code: "SETTING_IGNORED", message: parsed.problem, ...place });
  }
  const names = parsed?.ok === true ? [parsed.value] : hosts;
  const place = placeOf(rule, "spec", "certificate_name");
  for (const host of names) {
    if (host.kind !== "any") addServerCertificate(name, host, { port, place, context });
  }
}
