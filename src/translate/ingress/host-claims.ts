import type { HostPattern } from "../../model/values.js";
import { hostKey } from "../../model/values.js";
import { memoized } from "../../support/collections.js";
import type { TranslateContext } from "../context.js";
import type { HostClaims, HostFacts, NamedHost } from "../host-owners.js";
import { placeOf } from "../place.js";
import { unsupportedRestriction } from "../reasons.js";
import { AnnotationReader } from "./annotation-reader.js";
import { REWRITE_TARGET, USE_REGEX } from "./annotations/routing-table.js";
import { OF_SERVER, closesHosts } from "./closing-annotations.js";
import type { PreparedIngress } from "./prepared-ingress.js";

/**
 * The hosts that an Ingress names, and what it makes of them for other Ingresses of its namespace. use-regex or a rewrite-target makes
 * patterns of all paths of its hosts (ingress-nginx, "use-regex"). A server-snippet closes its hosts.
 */
export function claimsOfIngress(
  prepared: PreparedIngress,
  { options }: Pick<TranslateContext, "options">,
): HostClaims {
  const { ingress, hosts, aliases } = prepared;
  const patterns = patternHosts(prepared);
  const closing = closesHosts(ingress, options) && { isClosing: true };
  const named = new Map<string, NamedHost>(aliases.map((host) => [hostKey(host), { host }]));
  for (const { host } of hosts) {
    const key = hostKey(host);
    const isPattern = patterns.has(key) && { isPattern: true };
    named.set(key, { host, isRuled: true, ...isPattern, ...closing });
  }
  const takesRest = hosts.length === 0 && ingress.spec?.defaultBackend !== undefined;
  return { object: ingress, hosts: [...named.values()], ...(takesRest && { takesRest }) };
}

/** Keys of hosts of which the Ingress makes all paths patterns. */
export const patternHosts = memoized(({ paths }: PreparedIngress): ReadonlySet<string> => {
  const patterns = paths.filter(({ path, lookup }) => {
    const reader = new AnnotationReader(lookup);
    const target = reader.get(REWRITE_TARGET) ?? path;
    return reader.get(USE_REGEX) === true || target !== path;
  });
  return new Set(patterns.map(({ host }) => hostKey(host)));
});

/** The Ingress, closed where another one of the namespace closes a host of it, which is reported. */
export function withClosedHosts(
  prepared: PreparedIngress,
  factsOf: (host: HostPattern) => HostFacts,
  { options, diagnostics }: TranslateContext,
): PreparedIngress {
  const { ingress, hosts, paths } = prepared;
  const closing = hosts.find(({ host }) => factsOf(host).closingCause !== undefined);
  const cause = closing && factsOf(closing.host).closingCause;
  if (cause === undefined || closesHosts(ingress, options)) return prepared;
  const what = `${OF_SERVER} of Ingress ${cause.metadata.name} is for the host of this one, too.`;
  diagnostics.report({
    ...unsupportedRestriction(what, options),
    ...placeOf(ingress, "spec", "rules", closing?.rule ?? 0, "host"),
  });
  return {
    ...prepared,
    closedBy: prepared.closedBy ?? OF_SERVER,
    paths: paths.map((path) =>
      factsOf(path.host).closingCause === undefined ? path : { closedBy: OF_SERVER, ...path },
    ),
  };
}
