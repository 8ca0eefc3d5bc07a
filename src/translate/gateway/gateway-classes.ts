import type { Gateway, GatewayClass } from "../../api/gateway.js";
import type { RoutingResources } from "../../input/resources.js";
import type { TranslateContext } from "../context.js";
import { placeOf } from "../place.js";
import { compareAge } from "../precedence.js";
import { classParameters } from "./parameters.js";
import type { Verdict } from "./verdict.js";
import { HOLDS, refused } from "./verdict.js";

/** GatewayClasses whose controller we are. */
export function ownClasses({ resources, options }: TranslateContext): readonly GatewayClass[] {
  return resources
    .list("GatewayClass")
    .filter(({ spec }) => spec.controllerName === options.controllerName);
}

/** InvalidParameters: a class whose parameters can't be read can't be served as it is meant. */
export function classVerdict(gatewayClass: GatewayClass, resources: RoutingResources): Verdict {
  const parameters = classParameters(gatewayClass, resources);
  return parameters.ok ? HOLDS : refused("InvalidParameters", parameters.problem);
}

/** Gateways of our classes, oldest first. */
export function ownGateways(context: TranslateContext): readonly Gateway[] {
  const own = ownClassNames(context);
  return context.resources
    .list("Gateway")
    .filter(({ spec }) => own.has(spec.gatewayClassName))
    .sort(compareAge);
}

function ownClassNames(context: TranslateContext): ReadonlySet<string> {
  return new Set(ownClasses(context).map(({ metadata }) => metadata.name));
}

/** Says of each Gateway of another class why it is left alone: that is meant, or a misspelt class. */
export function reportForeignGateways(context: TranslateContext): void {
  const { resources, diagnostics, options } = context;
  const own = ownClassNames(context);
  for (const gateway of resources.list("Gateway")) {
    const name = gateway.spec.gatewayClassName;
    if (own.has(name)) continue;
    const other = resources.get("GatewayClass", "", name);
    const message =
      other === undefined
        ? `there is no GatewayClass ${name}`
        : `GatewayClass ${name} belongs to ${other.spec.controllerName}, not to ${options.controllerName}`;
    const place = placeOf(gateway, "spec", "gatewayClassName");
    diagnostics.report({ code: "GATEWAY_NOT_SERVED", message, ...place });
  }
}
