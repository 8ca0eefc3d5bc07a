import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { ParentReference } from "../../../api/gateway.js";
import type { DiagnosticSink } from "../../../diagnostics/sink.js";
import { placeOf } from "../../place.js";
import type { Place } from "../../place.js";
import type { AttachableRoute } from "../model.js";
import { CommonHosts, attach, routeHosts } from "./attachment.js";
import type { Attached } from "./attachment.js";
import type { RouteProblems } from "../route-problems.js";
import type { GatewayParent, Parents } from "./parents.js";
import type { RouteContext } from "../rule-scope.js";

/** A parentRef whose parent is ours, and what came of it. */
export interface OwnParent {
  readonly reference: ParentReference;
  readonly parent: GatewayParent;
  readonly attached: Attached;
}

/** Of a route without any the rest is not looked at: it is another controller's. */
export function ownParents(
  route: AttachableRoute,
  parents: Parents,
  problems: RouteProblems,
  { diagnostics }: Pick<RouteContext, "diagnostics">,
): readonly OwnParent[] {
  const named = namedParents(route, parents, diagnostics);
  const own = [...named, ...defaultParents(route, parents, named, problems)];
  if (own.length === 0) return [];
  const hosts = new CommonHosts(routeHosts(route, problems));
  return own.map(({ reference, parent, place }) => {
    const attached = attach(route, reference, parent, hosts);
    if (!attached.ok) {
      diagnostics.report({ code: "ROUTE_NOT_ATTACHED", message: attached.message, ...place });
    }
    return { reference, parent, attached };
  });
}

interface WantedParent {
  readonly reference: ParentReference;
  readonly parent: GatewayParent;
  readonly place: Place;
}

function namedParents(
  route: AttachableRoute,
  parents: Parents,
  diagnostics: DiagnosticSink,
): readonly WantedParent[] {
  return (route.spec.parentRefs ?? []).flatMap((reference, index) => {
    const parent = parents.find(route, reference);
    const place = placeOf(route, "spec", "parentRefs", index);
    if (parent.kind === "gateway") return [{ reference, parent, place }];
    diagnostics.report({ ...UNSERVED[parent.kind](reference), ...place });
    return [];
  });
}

/** The default Gateways that the route asks for and does not name itself (GEP-3793). */
function defaultParents(
  route: AttachableRoute,
  parents: Parents,
  named: readonly WantedParent[],
  problems: RouteProblems,
): readonly WantedParent[] {
  const { useDefaultGateways: scope = "" } = route.spec;
  const place = placeOf(route, "spec", "useDefaultGateways");
  // Without a Gateway to ask for, the value is no concern of ours.
  if (named.length === 0 && parents.defaults.length === 0) return [];
  if (problems.choice(scope === "" ? "None" : scope, ["All", "None"], place) !== "All") return [];
  const own = parents.defaults.filter(
    ({ gateway }) => !named.some(({ parent }) => parent.gateway === gateway),
  );
  return own.map((parent) => {
    const { namespace, name } = parent.gateway.metadata;
    const reference = { group: GATEWAY_GROUP, kind: "Gateway", namespace, name };
    return { reference, parent, place };
  });
}

const UNSERVED = {
  mesh: ({ name }: ParentReference) =>
    ({
      code: "ROUTE_OF_MESH",
      message: `parent is Service ${name}: routes between Services are not served`,
    }) as const,
  foreign: (reference: ParentReference) =>
    ({
      code: "ROUTE_PARENT_FOREIGN",
      message: `${shown(reference)} is none that is served here`,
    }) as const,
  missing: (reference: ParentReference) =>
    ({ code: "ROUTE_PARENT_NOT_FOUND", message: `there is no ${shown(reference)}` }) as const,
};

function shown({ kind = "Gateway", namespace, name }: ParentReference): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
