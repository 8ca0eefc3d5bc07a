/** What can be read of a route of Gateway API that is refused. */
import type { JsonObject } from "../support/json-object.js";
import { isObject, own } from "../support/json-object.js";
import type { Reading } from "./reading.js";
import { fieldsOf, portField } from "./reading.js";

/** HTTPRoute and GRPCRoute. */
export function readRoute(spec: JsonObject, reading: Reading): JsonObject {
  const { hostnames, parentRefs, rules } = spec;
  const hosts = reading.hosts(hostnames, ["hostnames", "hostname", "host"]);
  const parents = reading.items(parentRefs).map((parent) => readParent(parent, reading));
  const isLost = parentRefs === undefined && reading.extent !== "paths";
  if (isLost || parentRefs === null) reading.loseHost();
  // With a field out of place the hosts are closed altogether.
  const isBare = reading.extent !== "paths";
  const read = isBare ? [] : reading.items(rules).map((rule) => readRouteRule(rule, reading));
  const isWide = reading.extent !== "paths";
  return {
    ...(hosts.length > 0 && { hostnames: hosts }),
    parentRefs: parents.filter((parent) => parent !== undefined),
    rules: isWide || rules === undefined ? [...read, {}] : read,
  };
}

/** What says which of the listeners is left out if it can't be read, so that it is for all of them. */
function readParent(parent: unknown, reading: Reading): JsonObject | undefined {
  const { group, kind, name, namespace, sectionName, port } = fieldsOf(parent);
  const isUnclear = [group, kind, namespace].some(
    (text) => text !== undefined && text !== null && typeof text !== "string",
  );
  if (typeof name !== "string" || isUnclear) {
    reading.loseHost();
    return undefined;
  }
  return {
    name,
    ...(typeof group === "string" && { group }),
    ...(typeof kind === "string" && { kind }),
    ...(typeof namespace === "string" && { namespace }),
    ...(typeof sectionName === "string" && { sectionName }),
    ...portField("port", port, 1),
  };
}

function readRouteRule(rule: unknown, reading: Reading): JsonObject {
  const { name, matches } = reading.fields(rule);
  const read = reading.items(matches).map((match) => readMatch(match, reading));
  return { ...(typeof name === "string" && { name }), ...(read.length > 0 && { matches: read }) };
}

function readMatch(match: unknown, reading: Reading): JsonObject {
  const { path, method, headers, queryParams } = reading.fields(match);
  const read = { path: readPath(path, reading), method: readMethod(method, reading) };
  const lists = {
    headers: readList(headers, reading),
    queryParams: readList(queryParams, reading),
  };
  return Object.fromEntries(
    Object.entries({ ...read, ...lists }).filter(([, value]) => value !== undefined),
  );
}

/** What a path can hold that a normalised path of a request can't. */
const NEVER_IN_PATHS = /^[^/]|\/\/|\/\.\.?(?:\/|$)|%2f|#/i;

function readPath(path: unknown, reading: Reading): JsonObject | undefined {
  if (path === undefined) return undefined;
  const read = readTextsOf(path, reading);
  const isPattern = own(read, "type") === "RegularExpression";
  const value = own(read, "value");
  if (!isPattern && typeof value === "string" && NEVER_IN_PATHS.test(value)) reading.losePath();
  return read;
}

function readMethod(method: unknown, reading: Reading): unknown {
  return isObject(method) ? readTextsOf(method, reading) : readText(method, reading);
}

function readList(values: unknown, reading: Reading): readonly unknown[] | undefined {
  if (values === undefined) return undefined;
  return reading.items(values).flatMap((value) => {
    const read = readTextsOf(value, reading);
    if (typeof own(read, "name") === "string" && typeof own(read, "value") === "string")
      return [read];
    reading.losePath();
    return [];
  });
}

function readTextsOf(value: unknown, reading: Reading): JsonObject {
  const entries = Object.entries(reading.fields(value)).map(
    ([name, text]) => [name, readText(text, reading)] as const,
  );
  return Object.fromEntries(entries.filter(([, text]) => text !== undefined));
}

function readText(value: unknown, reading: Reading): string | undefined {
  if (typeof value === "string" || value === undefined) return value;
  reading.losePath();
  return undefined;
}
