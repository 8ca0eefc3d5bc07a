/** What an API server checks in backends and filters of routes and listeners beyond their schemas. */
import type { BackendReference, ExternalAuthFilter, RouteFilter } from "../../api/gateway.js";
import { GATEWAY_SPECS } from "../../api/schemas/gateway-schemas.js";
import type { JsonSchema } from "../../api/schemas/schema.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import { own } from "../../support/json-object.js";
import { type Reports, checkFieldsOfType, checkUnique, invalid, missing, shown } from "./names.js";

export function* checkBackendReference(backend: BackendReference, field: FieldPath): Reports {
  const { group = "", kind = "Service", port } = backend;
  if (group === "" && kind === "Service" && port === undefined) {
    yield missing(
      [...field, "port"],
      "a backend that is a Service needs a port",
      "add port: with a port of the Service, not of its pods",
    );
  }
  if (group === "gateway.networking.x-k8s.io" && kind === "XBackend" && port !== undefined) {
    yield invalid([...field, "port"], "a backend that is an XBackend must not have a port");
  }
}

/** The types of a kind's filters, each with the field that configures it. */
export type FilterTypes = ReadonlyMap<string, string>;

export const HTTP_ROUTE_FILTERS = filterTypes(filtersOf("HTTPRoute", "rules"));
export const GRPC_ROUTE_FILTERS = filterTypes(filtersOf("GRPCRoute", "rules"));
export const LISTENER_FILTERS = filterTypes(
  filtersOf("Gateway", "listeners")?.properties?.["requests"],
);

function filtersOf(
  kind: keyof typeof GATEWAY_SPECS,
  list: "rules" | "listeners",
): JsonSchema | undefined {
  const { properties }: JsonSchema = GATEWAY_SPECS[kind];
  return own(properties, list)?.items?.properties?.["filters"];
}

/** From the CRDs' schemas, which name only the fields: the type of `urlRewrite` is URLRewrite. */
function filterTypes(filters: JsonSchema | undefined): FilterTypes {
  const fields = Object.keys(filters?.items?.properties ?? {}).filter((name) => name !== "type");
  const upper = (start: string): string => start.toUpperCase();
  return new Map(fields.map((field) => [field.replace(/^(?:url|cors)|^./, upper), field]));
}

const ONCE = new Set([
  "RequestHeaderModifier",
  "ResponseHeaderModifier",
  "RequestRedirect",
  "URLRewrite",
  "CORS",
]);

export function* checkFilters(
  filters: readonly RouteFilter[],
  types: FilterTypes,
  field: FieldPath,
): Reports {
  yield* checkUnique(
    filters.map(({ type }) => (ONCE.has(type) ? type : undefined)),
    field,
    "filter",
    ["type"],
  );
  const rewrite = filters.findIndex(({ type }) => type === "URLRewrite");
  if (rewrite >= 0 && filters.some(({ type }) => type === "RequestRedirect")) {
    yield invalid([...field, rewrite], "URLRewrite and RequestRedirect exclude each other");
  }
  for (const [i, filter] of filters.entries()) yield* checkFilter(filter, types, [...field, i]);
}

/** A filter of an unknown type may have any fields: a condition reports the type. The same holds for types and protocols inside. */
export function* checkFilter(filter: RouteFilter, types: FilterTypes, field: FieldPath): Reports {
  const { type } = filter;
  const needed = types.get(type);
  if (needed !== undefined) {
    const { type: _type, ...fields } = filter;
    const given = new Set(Object.keys(fields));
    if (!given.delete(needed)) {
      yield missing([...field, needed], `a filter of type ${type} needs the field ${needed}`);
    }
    for (const other of given) {
      yield invalid(
        [...field, other],
        `a filter of type ${type} must not have the field ${other}`,
        "write one filter for each of the two",
      );
    }
  }
  yield* checkContents(filter, field);
}

function* checkContents(filter: RouteFilter, field: FieldPath): Reports {
  const { requestMirror, requestRedirect, urlRewrite, cors, externalAuth } = filter;
  for (const name of ["requestHeaderModifier", "responseHeaderModifier"] as const) {
    yield* checkUnique(filter[name]?.remove ?? [], [...field, name, "remove"], "header");
  }
  if (requestMirror !== undefined) yield* checkMirror(requestMirror, [...field, "requestMirror"]);
  for (const [name, path] of [
    ["requestRedirect", requestRedirect?.path],
    ["urlRewrite", urlRewrite?.path],
  ] as const) {
    if (path !== undefined)
      yield* checkFieldsOfType(path, PATH_FIELDS, [...field, name, "path"], "a path");
  }
  if (cors !== undefined) yield* checkCors(cors, [...field, "cors"]);
  if (externalAuth !== undefined)
    yield* checkExternalAuth(externalAuth, [...field, "externalAuth"]);
}

function* checkMirror(
  mirror: NonNullable<RouteFilter["requestMirror"]>,
  field: FieldPath,
): Reports {
  yield* checkBackendReference(mirror.backendRef, [...field, "backendRef"]);
  const { percent, fraction } = mirror;
  if (percent !== undefined && fraction !== undefined) {
    yield invalid([...field, "fraction"], "a mirror has a percent or a fraction, not both");
  }
  const { numerator, denominator = 100 } = fraction ?? { numerator: 0 };
  if (numerator > denominator) {
    yield invalid(
      [...field, "fraction", "numerator"],
      `numerator must be at most the denominator, ${denominator}, but is ${numerator}`,
    );
  }
}

/** The field of each type of path modifier. */
const PATH_FIELDS = {
  ReplaceFullPath: "replaceFullPath",
  ReplacePrefixMatch: "replacePrefixMatch",
} as const;

const CORS_LISTS = ["allowOrigins", "allowMethods", "allowHeaders", "exposeHeaders"] as const;

function* checkCors(cors: NonNullable<RouteFilter["cors"]>, field: FieldPath): Reports {
  for (const name of CORS_LISTS) {
    const values = cors[name] ?? [];
    yield* checkUnique(values, [...field, name], "value");
    if (name === "exposeHeaders" || values.length < 2) continue;
    const star = values.indexOf("*");
    if (star >= 0) {
      yield invalid(
        [...field, name, star],
        `${shown("*")} in ${name} stands for all and must be alone`,
      );
    }
  }
}

/** The field that a protocol needs, and the one that it must not have. */
const HTTP_FIRST = ["http", "grpc"] as const;
const GRPC_FIRST = ["grpc", "http"] as const;

function* checkExternalAuth(filter: ExternalAuthFilter, field: FieldPath): Reports {
  yield* checkBackendReference(filter.backendRef, [...field, "backendRef"]);
  const { protocol } = filter;
  if (protocol === "HTTP" || protocol === "GRPC") {
    const [needed, other] = protocol === "HTTP" ? HTTP_FIRST : GRPC_FIRST;
    if (filter[needed] === undefined) {
      yield missing([...field, needed], `ExternalAuth with protocol ${protocol} needs ${needed}`);
    }
    if (filter[other] !== undefined) {
      yield invalid(
        [...field, other],
        `ExternalAuth with protocol ${protocol} must not have ${other}`,
      );
    }
  }
  const { http, grpc } = filter;
  for (const [at, name, headers] of [
    ["http", "allowedHeaders", http?.allowedHeaders],
    ["http", "allowedResponseHeaders", http?.allowedResponseHeaders],
    ["grpc", "allowedHeaders", grpc?.allowedHeaders],
  ] as const) {
    yield* checkUnique(headers ?? [], [...field, at, name], "header");
  }
}
