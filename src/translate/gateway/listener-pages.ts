import type { Gateway, ListenerSet } from "../../api/gateway.js";
import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import type { ErrorPages, Route } from "../../model/route.js";
import { own, present } from "../../support/json-object.js";
import { type Backends, type ServicePortRef, firstPort } from "../backends.js";
import type { TranslateContext } from "../context.js";
import type { AnnotationType } from "../ingress/annotations/annotation.js";
import { ERROR_PAGE_ROWS } from "../ingress/annotations/error-pages.js";
import { annotationField, placeOf } from "../place.js";

/** Error pages for the routes of a listener. */
export interface ListenerPages extends Pick<ErrorPages, "statuses"> {
  /** Of the namespace of the Gateway or ListenerSet. */
  readonly service?: ServicePortRef;
}

/**
 * Annotations of a Gateway or ListenerSet: `<own domain>/custom-http-errors` and `default-backend` for all of its listeners,
 * `listener.<name>.<own domain>/…` for one, which win.
 */
export function listenerPages(
  parent: Gateway | ListenerSet,
  listener: string,
  { options, resources, diagnostics }: TranslateContext,
): ListenerPages | undefined {
  const { annotations, namespace } = parent.metadata;
  const domain = options.domains.annotations;
  const keyOf = (name: string): string | undefined =>
    [`listener.${listener}.${domain}/${name}`, `${domain}/${name}`].find(
      (key) => (own(annotations, key)?.trim() ?? "") !== "",
    );
  const report = (code: DiagnosticCode, key: string, message: string): void => {
    diagnostics.report({ code, message, ...placeOf(parent, ...annotationField(key)) });
  };
  const read = <T>({ name, type }: { name: string; type: AnnotationType<T> }): T | undefined => {
    const key = keyOf(name);
    if (key === undefined) return undefined;
    const parsed = type.parse(own(annotations, key)?.trim() ?? "");
    if (parsed.ok) return parsed.value;
    report("ANNOTATION_INVALID", key, `${name}: ${parsed.problem}`);
    return undefined;
  };
  const statuses = read(ERROR_PAGE_ROWS.statuses);
  const name = read(ERROR_PAGE_ROWS.backend);
  if (statuses === undefined && name === undefined) return undefined;
  if (name === undefined) return present("statuses", statuses);
  if (resources.get("Service", namespace, name) === undefined) {
    const key = keyOf(ERROR_PAGE_ROWS.backend.name) ?? "";
    report("SERVICE_NOT_FOUND", key, `there is no Service ${namespace}/${name}`);
  }
  const port = firstPort(resources, { namespace, name });
  return { ...present("statuses", statuses), service: { namespace, name, port } };
}

/** The same for a route; its Service becomes an upstream. */
export function routePages(
  pages: ListenerPages | undefined,
  backends: Backends,
): Pick<Route, "errorPages"> | undefined {
  if (pages === undefined) return undefined;
  const { statuses, service } = pages;
  return {
    errorPages: {
      ...present("statuses", statuses),
      ...(service && { upstream: backends.add(service) }),
    },
  };
}
