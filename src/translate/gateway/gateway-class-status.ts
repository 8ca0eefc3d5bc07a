import type { ObjectStatus } from "../../status/object-status.js";
import type { TranslateContext } from "../context.js";
import { placeOf } from "../place.js";
import { condition } from "./conditions.js";
import { classVerdict, ownClasses } from "./gateway-classes.js";
import { supportedFeatures } from "./supported-features.js";
import { HOLDS } from "./verdict.js";

/** Statuses of our GatewayClasses, and a report of those that can't be accepted. */
export function gatewayClassStatuses(context: TranslateContext): readonly ObjectStatus[] {
  return ownClasses(context).map((gatewayClass) => {
    const { apiVersion, kind, metadata } = gatewayClass;
    const verdict = classVerdict(gatewayClass, context.resources);
    if (!verdict.ok) {
      const place = placeOf(gatewayClass, "spec", "parametersRef");
      const { message } = verdict;
      context.diagnostics.report({ code: "GATEWAY_CLASS_INVALID", message, ...place });
    }
    return {
      apiVersion,
      kind,
      metadata: { name: metadata.name, namespace: metadata.namespace },
      status: {
        conditions: [
          condition(
            "Accepted",
            verdict,
            { reason: "Accepted", message: "Gateways of the class are served" },
            gatewayClass,
          ),
          condition(
            "SupportedVersion",
            HOLDS,
            { reason: "SupportedVersion", message: "Gateway API v1.7 is supported" },
            gatewayClass,
          ),
        ],
        supportedFeatures: supportedFeatures(context.options).map((name) => ({ name })),
      },
    };
  });
}
