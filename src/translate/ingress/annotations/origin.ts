/** Annotations of the origin under domains of their own: `alb.<labels>` and `alb.networking.<labels>`. */
import type { Ingress } from "../../../api/wire.js";
import type { Domains } from "../../../model/options.js";
import { type HostPattern, hostKey } from "../../../model/values.js";
import { own } from "../../../support/json-object.js";
import { type Result, ok, problem } from "../../../support/result.js";
import { textList } from "../../../support/text.js";
import type { TranslateContext } from "../../context.js";
import { parseHostPattern } from "../../hostnames.js";
import { annotationField, placeOf } from "../../place.js";
import { INGRESS_PRIORITY } from "../../precedence.js";
import { type NamespacedName, parseNamespacedName } from "../../reference-grants.js";
import { type PathIndex, pathKey } from "./annotation-key.js";

/** For docs/annotations.md; `<labels>` stands for the label domain. */
export const ORIGIN_ANNOTATIONS = [
  {
    key: "alb.<labels>/ingress-rule-priority-<rule>-<path>",
    type: "number",
    doc: "Priority of one path among the paths of its namespace, lower first; 5 by default. With the option ingressPriorityNamespaces, it also counts among paths of other namespaces.",
  },
  {
    key: "alb.networking.<labels>/enable-https",
    type: "`true` or `false`",
    doc: "Whether hosts without TLS are served over HTTPS, if defaultSSLStrategy of the ALB2 allows it.",
  },
  {
    key: "alb.networking.<labels>/tls",
    type: "list of `<host>=<namespace>/<secret>`",
    doc: "Certificates for hosts that spec.tls does not name.",
  },
];

/** Priority of one path. Zero and what is no whole number count as absent. */
export function priorityOf(ingress: Ingress, index: PathIndex, context: TranslateContext): number {
  const key = `alb.${context.options.domains.labels}/ingress-rule-priority-${pathKey(index)}`;
  const text = valueOf(ingress, key);
  if (text === undefined) return INGRESS_PRIORITY;
  const priority = /^-?\d{1,9}$/.test(text) ? Number(text) : 0;
  if (priority !== 0) return priority;
  report(ingress, key, `${JSON.stringify(text)} is not a whole number other than 0`, context);
  return INGRESS_PRIORITY;
}

export function enableHttpsOf(ingress: Ingress, domains: Domains): boolean | undefined {
  const text = valueOf(ingress, `alb.networking.${domains.labels}/enable-https`);
  return text === "true" ? true : text === "false" ? false : undefined;
}

interface HostCertificate {
  readonly host: HostPattern;
  readonly secret: NamespacedName;
}

export function hasTlsAnnotation(ingress: Ingress, { labels }: Domains): boolean {
  return valueOf(ingress, tlsKey(labels)) !== undefined;
}

function tlsKey(labels: string): string {
  return `alb.networking.${labels}/tls`;
}

/** Certificates by host; one wrong item, or two secrets for one host, void the whole annotation, which is reported. */
export function tlsAnnotationOf(
  ingress: Ingress,
  context: TranslateContext,
): { readonly key: string; readonly certificates: readonly HostCertificate[] } {
  const key = tlsKey(context.options.domains.labels);
  const certificates = new Map<string, HostCertificate>();
  for (const item of textList(valueOf(ingress, key) ?? "")) {
    const parsed = parseTlsItem(item);
    const known = parsed.ok ? certificates.get(hostKey(parsed.value.host)) : undefined;
    const isOther = parsed.ok && known !== undefined && !isSame(known.secret, parsed.value.secret);
    if (!parsed.ok || isOther) {
      const second = `${JSON.stringify(item)} is a second secret for its host`;
      report(ingress, key, parsed.ok ? second : parsed.problem, context);
      return { key, certificates: [] };
    }
    certificates.set(hostKey(parsed.value.host), parsed.value);
  }
  return { key, certificates: [...certificates.values()] };
}

function parseTlsItem(item: string): Result<HostCertificate> {
  const [host = "", secret = "", ...rest] = item.split("=");
  if (host === "" || rest.length > 0) {
    return problem(`${JSON.stringify(item)} is not <host>=<namespace>/<secret>`);
  }
  const pattern = parseHostPattern(host.trim(), "one");
  if (!pattern.ok) return pattern;
  const name = parseNamespacedName(secret);
  return name.ok ? ok({ host: pattern.value, secret: name.value }) : name;
}

function isSame(a: NamespacedName, b: NamespacedName): boolean {
  return a.namespace === b.namespace && a.name === b.name;
}

function valueOf({ metadata }: Ingress, key: string): string | undefined {
  const text = own(metadata.annotations, key)?.trim();
  return text === "" ? undefined : text;
}

function report(
  ingress: Ingress,
  key: string,
  message: string,
  { diagnostics }: TranslateContext,
): void {
  const place = placeOf(ingress, ...annotationField(key));
  diagnostics.report({ code: "ANNOTATION_INVALID", message, ...place });
}
