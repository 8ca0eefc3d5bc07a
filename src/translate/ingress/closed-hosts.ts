import type { TranslateContext } from "../context.js";
import { placeOf } from "../place.js";
import { unsupportedRestriction } from "../reasons.js";
import { closesHosts, OF_SERVER } from "./closing-annotations.js";
import type { PreparedIngress } from "./prepared-ingress.js";
import { regexKey } from "./regex-hosts.js";

/** The Ingresses, closed where another one of the namespace closes a host of theirs. Each of those gets one report. */
export function withClosedHosts(
  ingresses: readonly PreparedIngress[],
  { options, diagnostics }: TranslateContext,
): readonly PreparedIngress[] {
  const causes = ingresses.filter(({ ingress }) => closesHosts(ingress, options));
  if (causes.length === 0) return ingresses;
  const byHost = new Map(
    causes.flatMap(({ ingress, hosts }) =>
      hosts.map(({ host }) => [regexKey(ingress, host), ingress] as const),
    ),
  );
  return ingresses.map((prepared) => {
    const { ingress, hosts, paths } = prepared;
    const closing = hosts.find(({ host }) => byHost.has(regexKey(ingress, host)));
    const cause = closing && byHost.get(regexKey(ingress, closing.host));
    if (cause === undefined || causes.includes(prepared)) return prepared;
    const what = `${OF_SERVER} of Ingress ${cause.metadata.name} is for the host of this one, too.`;
    diagnostics.report({
      ...unsupportedRestriction(what, options),
      ...placeOf(ingress, "spec", "rules", closing?.rule ?? 0, "host"),
    });
    return {
      ...prepared,
      closedBy: prepared.closedBy ?? OF_SERVER,
      paths: paths.map((path) =>
        byHost.has(regexKey(ingress, path.host)) ? { closedBy: OF_SERVER, ...path } : path,
      ),
    };
  });
}
