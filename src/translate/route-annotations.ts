/** Annotations that Rules, HTTPRoutes and GRPCRoutes have as Ingresses do (ingress/annotations). */
import type { KubernetesObject } from "../api/wire.js";
import type { Route } from "../model/route.js";
import { own } from "../support/json-object.js";
import type { TranslateContext } from "./context.js";
import { type AnnotationType, BUFFERING, PERCENT } from "./ingress/annotations/annotation.js";
import { annotationField, placeOf } from "./place.js";

/** `domain` is what stands before the slash. Bad values are reported and ignored. */
export function annotatedRoute(
  object: KubernetesObject,
  domain: string,
  { diagnostics }: Pick<TranslateContext, "diagnostics">,
): Pick<Route, "traceRate" | "streamed"> {
  const read = <T>(name: string, type: AnnotationType<T>): T | undefined => {
    const key = `${domain}/${name}`;
    const text = own(object.metadata.annotations, key);
    if (text === undefined) return undefined;
    const value = type.parse(text.trim());
    if (value.ok) return value.value;
    const place = placeOf(object, ...annotationField(key));
    diagnostics.report({ code: "SETTING_IGNORED", message: value.problem, ...place });
    return undefined;
  };
  const traceRate = read("trace-rate", PERCENT);
  return {
    ...(traceRate !== undefined && { traceRate }),
    ...(read("proxy-buffering", BUFFERING) === "off" && { streamed: true }),
  };
}
