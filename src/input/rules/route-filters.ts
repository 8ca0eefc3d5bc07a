/** What an API server checks in the filters of a route. */
import type { ExternalAuthFilter, RouteFilter } from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import { own } from "../../support/json-object.js";
import type { Reports } from "./reports.js";
import { invalid, missing, shown } from "./reports.js";
import { checkBackendReference, checkUnique } from "./names.js";

type FilterField = Exclude<keyof RouteFilter, "type">;

/** Types of filters, each with the field that configures it. */
export type FilterTypes = Readonly<Record<string, FilterField>>;

export const LISTENER_FILTERS = {
  ExternalAuth: "externalAuth",
  ExtensionRef: "extensionRef",
} as const satisfies FilterTypes;

export const GRPC_ROUTE_FILTERS = {
  RequestHeaderModifier: "requestHeaderModifier",
  ResponseHeaderModifier: "responseHeaderModifier",
  RequestMirror: "requestMirror",
  ExtensionRef: "extensionRef",
} as const satisfies FilterTypes;

export const HTTP_ROUTE_FILTERS = {
  ...GRPC_ROUTE_FILTERS,
  ...LISTENER_FILTERS,
  RequestRedirect: "requestRedirect",
  URLRewrite: "urlRewrite",
  CORS: "cors",
} as const satisfies FilterTypes;

const ONCE = new Set([
  "RequestHeaderModifier",
  "ResponseHeaderModifier",
  "RequestRedirect",
  "URLRewrite",
  "CORS",
]);

/** `types` are those that the kind knows. */
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

/** Whatever comes with a type that is not known passes: a condition tells that the type is not supported. */
export function* checkFilter(filter: RouteFilter, types: FilterTypes, field: FieldPath): Reports {
  const { type } = filter;
  const needed = own(types, type);
  if (needed !== undefined) {
    if (filter[needed] === undefined) {
      yield missing([...field, needed], `a filter of type ${type} needs the field ${needed}`);
    }
    for (const other of Object.values(types)) {
      if (other === needed || filter[other] === undefined) continue;
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
    if (path !== undefined) yield* checkPathModifier(path, [...field, name, "path"]);
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

type PathModifier = NonNullable<NonNullable<RouteFilter["urlRewrite"]>["path"]>;

/** The field that each type of path modifier needs, which no other may have. */
const PATH_FIELDS = {
  ReplaceFullPath: "replaceFullPath",
  ReplacePrefixMatch: "replacePrefixMatch",
} as const;

/**
 * That replacePrefixMatch needs a rule with a single PathPrefix match is no rule here, though it is one of API servers: a
 * condition of the route tells it.
 */
function* checkPathModifier(modifier: PathModifier, field: FieldPath): Reports {
  const { type } = modifier;
  if (type !== "ReplaceFullPath" && type !== "ReplacePrefixMatch") return;
  for (const [owner, name] of Object.entries(PATH_FIELDS)) {
    if (owner === type && modifier[name] === undefined) {
      yield missing([...field, name], `a path of type ${type} needs the field ${name}`);
    }
    if (owner !== type && modifier[name] !== undefined) {
      yield invalid([...field, name], `a path of type ${type} must not have the field ${name}`);
    }
  }
}

type Cors = NonNullable<RouteFilter["cors"]>;

const CORS_LISTS = ["allowOrigins", "allowMethods", "allowHeaders", "exposeHeaders"] as const;

function* checkCors(cors: Cors, field: FieldPath): Reports {
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

/** What each protocol is configured by. */
const PROTOCOLS = { HTTP: "http", GRPC: "grpc" } as const;

/** A protocol that is not known may come with anything: a condition tells that it is not supported. */
function* checkExternalAuth(filter: ExternalAuthFilter, field: FieldPath): Reports {
  yield* checkBackendReference(filter.backendRef, [...field, "backendRef"]);
  const { protocol } = filter;
  if (protocol === "HTTP" || protocol === "GRPC") {
    const own = PROTOCOLS[protocol];
    if (filter[own] === undefined) {
      yield missing([...field, own], `ExternalAuth with protocol ${protocol} needs ${own}`);
    }
    const other = own === "http" ? "grpc" : "http";
    if (filter[other] !== undefined) {
      yield invalid(
        [...field, other],
        `ExternalAuth with protocol ${protocol} must not have ${other}`,
      );
    }
  }
  const { http, grpc } = filter;
  const inHttp = [...field, "http"];
  yield* headers(http?.allowedHeaders, [...inHttp, "allowedHeaders"]);
  yield* headers(http?.allowedResponseHeaders, [...inHttp, "allowedResponseHeaders"]);
  yield* headers(grpc?.allowedHeaders, [...field, "grpc", "allowedHeaders"]);
}

function headers(names: readonly string[] | undefined, field: FieldPath): Reports {
  return checkUnique(names ?? [], field, "header");
}
