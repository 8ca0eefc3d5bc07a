/** Pages instead of errors. */
import type { Route } from "../../../model/route.js";
import {
  MAX_ERROR_STATUS,
  MIN_ERROR_STATUS,
  parseErrorStatuses,
} from "../../../support/error-statuses.js";
import { isDnsLabel } from "../../../support/ip-address.js";
import { present } from "../../../support/json-object.js";
import { problem, ok } from "../../../support/result.js";
import { firstPort } from "../../backends.js";
import type { BuildContext } from "../../config-builder.js";
import type { Place } from "../../place.js";
import { type Annotation, type AnnotationType, type AnyAnnotation, rowsOf } from "./annotation.js";

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
    "Errors with these statuses, of the backend or of the gateway, are replaced by a [page](error-pages.md) of default-backend, or of the gateway; without any page they become 404. Replaces the gateway's own list.",
    { otherwise: "refusals of access keep their status" },
  ),
  backend: row(
    "default-backend",
    SERVICE_NAME,
    "Service of the same namespace, by its first port: it has the [error pages](error-pages.md), and answers requests if the path's own Service has no endpoint.",
  ),
};

/** The annotations that hold for a path of an Ingress, or for a listener. */
interface PageAnnotations {
  /** Undefined: absent, blank or malformed; malformed ones are reported elsewhere. */
  readonly get: <T>(row: Annotation<T>) => T | undefined;
  readonly place: (row: AnyAnnotation) => Place;
  /** Of the object that has them, and of the Service. */
  readonly namespace: string;
  /** Without any page the answer is 404, as in ingress-nginx. */
  readonly isIngress: boolean;
}

/** The error pages, and what is wrong with them besides malformed values. */
export function readErrorPages(
  { get, place, namespace, isIngress }: PageAnnotations,
  { options, backends, diagnostics, resources }: BuildContext,
): Pick<Route, "errorPages"> {
  const statuses = get(ERROR_PAGE_ROWS.statuses);
  const name = get(ERROR_PAGE_ROWS.backend);
  if (statuses === undefined && name === undefined) return {};
  if (name === undefined) {
    if (isIngress || options.errorPages !== undefined) {
      return { errorPages: present("statuses", statuses) };
    }
    const message = `${ERROR_PAGE_ROWS.statuses.name} has no effect: neither ${ERROR_PAGE_ROWS.backend.name} nor the gateway has error pages`;
    const at = place(ERROR_PAGE_ROWS.statuses);
    diagnostics.report({ code: "ANNOTATION_INVALID", message, ...at });
    return {};
  }
  const at = place(ERROR_PAGE_ROWS.backend);
  const service = { namespace, name };
  const port = firstPort(resources, service);
  const upstream = backends.upstream({ ...service, port }, at, at);
  return { errorPages: { ...present("statuses", statuses), upstream } };
}
