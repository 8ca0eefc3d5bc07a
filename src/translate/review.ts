/**
 * What only a whole set of manifests shows. For the commands that read files once: a run tells such things by metrics, since endpoints
 * come and go there.
 */
import { KIND_NAMES, type KindName } from "../api/kinds.js";
import type { KubernetesObject } from "../api/wire.js";
import { DIAGNOSTIC_CATALOG, type DiagnosticCode } from "../diagnostics/catalog.js";
import type { Diagnostic, FieldPath, ResourceRef } from "../diagnostics/diagnostic.js";
import { formatResource } from "../diagnostics/format.js";
import { type Report, diagnosticOf } from "../diagnostics/sink.js";
import type { Resources } from "../input/resources.js";
import type { DataPlaneConfig } from "../model/config.js";
import { inputHint, unrenderedHint } from "../diagnostics/unrendered.js";
import { didYouMean } from "../support/did-you-mean.js";
import { isObject, own } from "../support/json-object.js";
import { nameOf, placeOf } from "./place.js";

const SERVICE_NAME = "kubernetes.io/service-name";

/** The diagnostics of a compilation with causes that other objects or other programs have, names that were probably meant, and those of endpoints that belong to nothing or are missing. */
export function review(
  diagnostics: readonly Diagnostic[],
  resources: Resources,
  config: DataPlaneConfig,
): readonly Diagnostic[] {
  const reports = [...strayEndpoints(resources), ...missingEndpoints(resources, config)];
  const found = reports.map((report) =>
    diagnosticOf(report, report.resource && resources.locate(report.resource, report.field ?? [])),
  );
  return [...diagnostics, ...found].map((each) => withCause(each, resources));
}

function strayEndpoints(resources: Resources): readonly Report[] {
  return resources.list("EndpointSlice").flatMap((slice): readonly Report[] => {
    const { namespace, labels = {} } = slice.metadata;
    const name = labels[SERVICE_NAME];
    if (name === undefined) {
      const message = `the label ${SERVICE_NAME} is missing, so no Service has these endpoints`;
      return [{ code: "ENDPOINTS_STRAY", message, ...placeOf(slice, "metadata", "labels") }];
    }
    if (resources.get("Service", namespace, name) !== undefined) return [];
    const message = `there is no Service ${namespace}/${name}, to which these endpoints belong`;
    const place = placeOf(slice, "metadata", "labels", SERVICE_NAME);
    return [{ code: "ENDPOINTS_STRAY", message, ...place }];
  });
}

/** Manifests without any EndpointSlice leave them to a cluster. */
function missingEndpoints(resources: Resources, { upstreams }: DataPlaneConfig): readonly Report[] {
  if (resources.list("EndpointSlice").length === 0) return [];
  return upstreams.flatMap(({ id, endpoints }): readonly Report[] => {
    const [namespace = "", name = "", port = ""] = id.split("/");
    const service = resources.get("Service", namespace, name);
    if (service === undefined || endpoints.length > 0) return [];
    // Another diagnostic says that the Service has no such port, or is of type ExternalName.
    const ports = service.spec?.ports ?? [];
    if (!ports.some((each) => String(each.port) === port)) return [];
    const message = `port ${port} has no endpoint that is ready; what leads there answers 503`;
    return [{ code: "SERVICE_WITHOUT_ENDPOINTS", message, ...placeOf(service) }];
  });
}

/** Kinds of which an object of a name was looked for. */
const LOOKED_FOR: Partial<Readonly<Record<DiagnosticCode, readonly KindName[]>>> = {
  SERVICE_NOT_FOUND: ["Service"],
  AUTH_SERVICE_NOT_FOUND: ["Service"],
  ROUTE_BACKEND_NOT_FOUND: ["Service"],
  ROUTE_PARENT_NOT_FOUND: ["Gateway", "ListenerSet"],
  LISTENER_SET_UNATTACHED: ["Gateway"],
  GATEWAY_REFERENCE: ["Secret", "ConfigMap"],
  CERTIFICATE_UNUSABLE: ["Secret"],
  AUTH_REFERENCE_NOT_FOUND: ["Secret", "ConfigMap"],
  AUTH_FILTER_UNRESOLVED: ["AuthPolicy"],
  ENDPOINTS_STRAY: ["Service"],
};

function withCause(diagnostic: Diagnostic, resources: Resources): Diagnostic {
  const { message, resource, field = [] } = diagnostic;
  const value = resource && valueAt(resource, field, resources);
  // A refused object is not there; then the message has the value.
  const text = typeof value === "string" ? value : message;
  const { code, location } = diagnostic;
  const ofFile = code === "OBJECT_MALFORMED" && location ? inputHint(location.file) : undefined;
  const hint = ofFile ?? unrenderedHint(text) ?? namedHint(diagnostic, resources);
  return hint === undefined ? diagnostic : { ...diagnostic, hint };
}

/** Advice for an object that was looked for in vain: its own error, or the name that was probably meant. */
function namedHint(diagnostic: Diagnostic, resources: Resources): string | undefined {
  const { code, resource, field = [], hint } = diagnostic;
  const kinds = LOOKED_FOR[code];
  if (kinds === undefined || resource === undefined || hint !== DIAGNOSTIC_CATALOG[code].hint) {
    return undefined;
  }
  const written = writtenName(resource, field, resources);
  if (written === undefined) return undefined;
  const namespace = written.namespace ?? resource.namespace;
  const refused = resources.refused.find(
    (ref) =>
      ref.namespace === namespace &&
      ref.name === written.name &&
      kinds.some((kind) => kind === ref.kind),
  );
  if (refused !== undefined)
    return `correct ${formatResource(refused)}, whose own error keeps it from being read`;
  const objects = kinds.flatMap((kind): readonly KubernetesObject[] => resources.list(kind));
  const names = objects.flatMap(({ metadata }) =>
    metadata.namespace === namespace ? metadata.name : [],
  );
  if (names.includes(written.name)) return undefined;
  const meant = didYouMean(written.name, names);
  if (meant !== undefined) return `did you mean ${meant}?`;
  const other = objects.find(({ metadata }) => metadata.name === written.name);
  if (other === undefined || written.namespace !== undefined) return undefined;
  return `put both into one namespace: there is a ${nameOf(other)}`;
}

/** A name, or `namespace/name` as annotations have it, or an object with them. */
function writtenName(
  resource: ResourceRef,
  field: FieldPath,
  resources: Resources,
): { readonly namespace?: string; readonly name: string } | undefined {
  const value = valueAt(resource, field, resources);
  if (typeof value === "string") {
    const [first = "", second] = value.split("/");
    return second === undefined ? { name: first } : { namespace: first, name: second };
  }
  const [named, space] = ["name", "namespace"].map((key) => at(value, key));
  if (typeof named !== "string") return undefined;
  return typeof space === "string" ? { name: named, namespace: space } : { name: named };
}

function valueAt(
  { kind, namespace, name }: ResourceRef,
  field: FieldPath,
  resources: Resources,
): unknown {
  const known = KIND_NAMES.find((each) => each === kind);
  const object: unknown = known && resources.get(known, namespace, name);
  return field.reduce<unknown>((inner, step) => at(inner, step), object);
}

function at(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return typeof step === "number" ? value[step] : undefined;
  return isObject(value) ? own(value, String(step)) : undefined;
}
