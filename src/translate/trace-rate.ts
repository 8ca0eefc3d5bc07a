/** The annotation trace-rate of Rules, HTTPRoutes and GRPCRoutes; Ingresses have it in ingress/annotations/observability.ts. */
import type { KubernetesObject } from "../api/wire.js";
import type { Route } from "../model/route.js";
import { own } from "../support/json-object.js";
import type { TranslateContext } from "./context.js";
import { PERCENT } from "./ingress/annotations/annotation.js";
import { annotationField, placeOf } from "./place.js";

/** `domain` is what stands before the slash. */
export function annotatedTraceRate(
  object: KubernetesObject,
  domain: string,
  { diagnostics }: Pick<TranslateContext, "diagnostics">,
): Pick<Route, "traceRate"> {
  const key = `${domain}/trace-rate`;
  const text = own(object.metadata.annotations, key);
  if (text === undefined) return {};
  const rate = PERCENT.parse(text.trim());
  if (rate.ok) return { traceRate: rate.value };
  const place = placeOf(object, ...annotationField(key));
  diagnostics.report({ code: "SETTING_IGNORED", message: rate.problem, ...place });
  return {};
}
