/** Pages instead of errors. */
import type { ErrorPages, Route } from "../../../model/route.js";
import {
  MAX_ERROR_STATUS,
  MIN_ERROR_STATUS,
  parseErrorStatuses,
} from "../../../support/error-statuses.js";
import { isDnsLabel } from "../../../support/ip-address.js";
import { present } from "../../../support/json-object.js";
import { problem, ok } from "../../../support/result.js";
import type { AuthContext } from "../../auth/auth-context.js";
import { firstPort } from "../../backends.js";
import { type Place, annotationField } from "../../place.js";
import { type AnnotationType, rowsOf } from "./annotation.js";
import type { AnnotationLookup, AnnotationReader } from "./annotation-reader.js";

const row = rowsOf("backend");

const STATUSES: AnnotationType<readonly number[]> = {
  description: `list of statuses from ${String(MIN_ERROR_STATUS)} to ${String(MAX_ERROR_STATUS)}`,
  parse: parseErrorStatuses,
};

const SERVICE_NAME: AnnotationType<string> = {
  description: "name of a Service",
  parse: (text) =>
    isDnsLabel(text)
      ? ok(text)
      : problem(`${JSON.stringify(text)} is not the name of a Service of the same namespace`),
};

export const ERROR_PAGE_ROWS = {
  statuses: row(
    "custom-http-errors",
    STATUSES,
    "Errors with these statuses, of the backend or of the gateway, are replaced by a [page](error-pages.md) of default-backend, or of the gateway. Replaces the gateway's own list.",
  ),
  backend: row(
    "default-backend",
    SERVICE_NAME,
    "Service of the same namespace, by its first port: it has the [error pages](error-pages.md), and answers requests if the path's own Service has no endpoint.",
  ),
};

/** `place`: of the path. */
export function readErrorPages(
  reader: AnnotationReader,
  lookup: AnnotationLookup,
  { resource }: Place,
  { options, backends, diagnostics, resources }: AuthContext,
): Pick<Route, "errorPages"> {
  const statuses = reader.get(ERROR_PAGE_ROWS.statuses);
  const name = reader.get(ERROR_PAGE_ROWS.backend);
  if (statuses === undefined && name === undefined) return {};
  const placeOf = (annotation: keyof typeof ERROR_PAGE_ROWS): Place => ({
    resource,
    field: annotationField(lookup.find(ERROR_PAGE_ROWS[annotation])?.key ?? ""),
  });
  if (name === undefined && options.errorPages === undefined) {
    const message = `${ERROR_PAGE_ROWS.statuses.name} has no effect: neither ${ERROR_PAGE_ROWS.backend.name} nor the gateway has error pages`;
    diagnostics.report({ code: "ANNOTATION_INVALID", message, ...placeOf("statuses") });
    return {};
  }
  const place = placeOf("backend");
  const { namespace } = resource;
  const service = name === undefined ? undefined : { namespace, name };
  const pages: ErrorPages = {
    ...present("statuses", statuses),
    ...(service && {
      upstream: backends.upstream(
        { ...service, port: firstPort(resources, service) },
        place,
        place,
      ),
    }),
  };
  return { errorPages: pages };
}
