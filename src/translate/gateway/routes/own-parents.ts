import type { GrpcRoute, HttpRoute, ParentReference } from "../../../api/gateway.js";
import type { TranslateContext } from "../../context.js";
import { placeOf } from "../../place.js";
import { attach } from "./attachment.js";
import type { Attached } from "./attachment.js";
import type { Findings } from "./findings.js";
import type { GatewayParent, Parents } from "./parents.js";
import { routeHosts } from "./route-hostnames.js";

/** A parentRef whose parent is ours, and what came of it. */
export interface OwnParent {
  readonly reference: ParentReference;
  readonly parent: GatewayParent;
  readonly attached: Attached;
}

/** Of a route without any the rest is not looked at: it is another controller's. */
export function ownParents(
  route: HttpRoute | GrpcRoute,
  parents: Parents,
  findings: Findings,
  { diagnostics }: TranslateContext,
): readonly OwnParent[] {
  const own: { reference: ParentReference; parent: GatewayParent; index: number }[] = [];
  for (const [index, reference] of (route.spec.parentRefs ?? []).entries()) {
    const parent = parents.find(route, reference);
    if (parent.kind === "gateway") own.push({ reference, parent, index });
    else {
      const { code, message } = UNSERVED[parent.kind](reference);
      diagnostics.report({ code, message, ...placeOf(route, "spec", "parentRefs", index) });
    }
  }
  if (own.length === 0) return [];
  const hosts = routeHosts(route, findings);
  return own.map(({ reference, parent, index }) => {
    const attached = attach(route, reference, parent, hosts);
    if (!attached.ok) {
      const { message } = attached;
      const place = placeOf(route, "spec", "parentRefs", index);
      diagnostics.report({ code: "ROUTE_NOT_ATTACHED", message, ...place });
    }
    return { reference, parent, attached };
  });
}

const UNSERVED = {
  mesh: ({ name }: ParentReference) =>
    ({
      code: "ROUTE_OF_MESH",
      message: `parent is Service ${name}: routes between Services are not served`,
    }) as const,
  foreign: ({ kind = "Gateway", namespace, name }: ParentReference) =>
    ({
      code: "ROUTE_PARENT_FOREIGN",
      message: `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name} is none that is served here`,
    }) as const,
};
