/**
 * Which mistakes close an object. A broken auth setting or a misspelt field that protects or selects requests must not be ignored: the
 * requests could be served without auth. So the object, or its paths, answer 503. An API server refuses or drops such fields.
 */
import { AUTH_METHOD_NAMES, AUTH_SCHEMA } from "../api/auth.js";
import type { KindName } from "../api/kinds.js";
import { type JsonSchema, object } from "../api/schemas/schema.js";
import type { FieldPath } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/sink.js";
import { didYouMean, isNear } from "../support/did-you-mean.js";
import { type JsonObject, fieldsOf, isObject, own, present } from "../support/json-object.js";
import { type UnknownField, conform, noField, parentHint, unknownFieldHint } from "./conform.js";
import { schemaReports, validator } from "./schema-validation.js";

/** Fields that protect requests or select them. */
const DECISIVE: readonly string[] = [
  ...["auth", ...AUTH_METHOD_NAMES, "metadata", "namespace", "labels", "annotations", "spec"],
  ...["config", "filters"],
  ...["rules", "host", "http", "paths", "path", "pathType", "defaultBackend"],
  ...["hostnames", "parentRefs", "targetRefs", "sectionName", "matches", "value", "extensionRef"],
  ...["dslx", "type", "key", "values", "priority", "listeners", "hostname", "name"],
  ...["port", "protocol", "method", "service", "headers", "queryParams"],
];

const PROTECTS = /auth|restrict|(?:allow|deny|white|black)-?list|source-range/i;
const AUTH_FILTERS: readonly unknown[] = ["AuthPolicy", "ExternalAuth", "ExtensionRef"];

/** Charts print empty `annotations` and `labels`; the others may be empty in a backend. */
const OFTEN_EMPTY: readonly string[] = ["annotations", "labels", "name", "port", "protocol"];

/** A null `host:` or `paths:` would widen an object and a null `filters:` open it, so such a null counts as a lost value. */
export function isLostNull(name: string): boolean {
  return DECISIVE.includes(name) && !OFTEN_EMPTY.includes(name);
}

/** Fields that select requests and that other APIs call by similar names (`hosts`, `match`). */
const SELECTING: readonly string[] = [
  ...["dslx", "host", "hostnames", "http", "matches", "parentRefs", "path", "paths", "rules"],
];

/** Whether an unknown field may be a misspelt selecting one that its place lacks. */
export function maySelect({ value, absent, preserved }: UnknownField): boolean {
  const isText = typeof value === "object" || typeof value === "string";
  return !preserved && isText && absent.some((name) => SELECTING.includes(name));
}

/** Whether the object has auth settings or is a Rule with terms, because a wider Rule may lack the auth that this one inherits. */
export function mayProtect(kind: KindName, object: JsonObject): boolean {
  return (
    protects(object) ||
    (kind === "Rule" && Object.values(own(object, "spec") ?? {}).some(holdsTerms))
  );
}

/** Whether the value of a Rule's field looks like dslx. */
export function holdsTerms(value: unknown): boolean {
  return (
    Array.isArray(value) && value.some((term) => isObject(term) && Object.hasOwn(term, "values"))
  );
}

/** The unknown fields that close the object. */
export function closingFields(
  unknown: readonly UnknownField[],
  isGuarded: boolean,
): readonly UnknownField[] {
  return unknown.filter((each) => {
    const { field, value, absent, preserved } = each;
    const name = nameOf(field);
    if (isGuarded && maySelect(each)) return true;
    if (PROTECTS.test(name) || protects(value)) return true;
    if (meantField(name, absent, DECISIVE) !== undefined) return true;
    // A key of labels or annotations that is indented too little.
    if (field[0] === "metadata" && name.includes("/")) return true;
    return !preserved && isDecisive(name);
  });
}

function nameOf(field: FieldPath): string {
  return String(field.at(-1));
}

/** Whether a field of that name protects or selects in another place. */
function isDecisive(name: string): boolean {
  return DECISIVE.some((known) => known.toLowerCase() === name.toLowerCase());
}

/** A `namespace` among the labels or annotations is probably indented too much. */
export function strayNames(value: JsonObject): readonly UnknownField[] {
  const metadata = own(value, "metadata");
  if (!isObject(metadata) || hasValue(metadata, "namespace")) return [];
  return ["labels", "annotations"].flatMap((map): readonly UnknownField[] => {
    const texts = own(metadata, map);
    if (!isObject(texts) || !hasValue(texts, "namespace")) return [];
    const field = ["metadata", map, "namespace"];
    return [{ field, value: "", known: [], absent: ["namespace"], preserved: false }];
  });
}

const OF_METADATA: readonly string[] = ["metadata", "namespace", "labels", "annotations", "name"];

/** Whether the field may select requests; fields of metadata only identify the object. */
export function isSelective({ field }: UnknownField): boolean {
  const name = nameOf(field);
  return isDecisive(name) && !OF_METADATA.includes(name.toLowerCase());
}

export function closingReport(unknown: UnknownField): Report {
  const { field, absent } = unknown;
  const name = nameOf(field);
  const message = `${noField(field)}; what the object is for answers 503, since it may protect it`;
  const meant = meantField(name, absent, DECISIVE) ?? didYouMean(name, absent);
  const hint = meant === undefined ? parentHint(unknown) : `did you mean ${meant}?`;
  return { code: "FIELD_MISPLACED", message, field, at: "key", ...present("hint", hint) };
}

/** Whether the value contains an auth setting at any depth. */
export function protects(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(protects);
  if (!isObject(value)) return AUTH_FILTERS.includes(value);
  return Object.entries(value).some(([name, inner]) => PROTECTS.test(name) || protects(inner));
}

/** The absent field that the name probably means, if it is one of `decisive`. */
function meantField(
  name: string,
  absent: readonly string[],
  decisive: readonly string[],
): string | undefined {
  return absent.find((known) => decisive.includes(known) && isNear(name, known));
}

/** Renames misspelt fields to the absent fields that they probably mean. */
export function mended(schema: JsonSchema, value: unknown): unknown {
  const { items, properties, additionalProperties } = schema;
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((item) => mended(items, item));
  }
  if (!isObject(value)) return value;
  const known = properties ?? {};
  const absent = Object.keys(known).filter((name) => !hasValue(value, name));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const meant = Object.hasOwn(known, name) ? name : (meantField(name, absent, absent) ?? name);
      const inside = own(known, meant) ?? additionalProperties;
      return [meant, inside === undefined ? inner : mended(inside, inner)];
    }),
  );
}

function hasValue(value: JsonObject, name: string): boolean {
  return own(value, name) !== undefined && own(value, name) !== null;
}

/** The values of all fields with such a name, at any depth. */
export function valuesOf(value: unknown, isName: (name: string) => boolean): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOf(item, isName));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    isName(name) ? [inner] : valuesOf(inner, isName),
  );
}

const CONFIG = ["spec", "config"];
const AUTH = [...CONFIG, "auth"];
/** Fields, in lower case, that are in the wrong place when the lines of an auth setting are indented too little. */
const MISPLACED = new Set(["auth", ...AUTH_METHOD_NAMES.map((name) => name.toLowerCase())]);

/** An object whose broken auth setting is replaced by a mark. It stays served: without it a wider rule could serve its paths. */
export interface AuthShape {
  readonly value: JsonObject;
  readonly reports: readonly Report[];
  /** Problems that refuse the whole object. */
  readonly refusals?: readonly Report[];
  /** Unknown fields that are not misplaced auth settings. */
  readonly unknown: readonly UnknownField[];
}

/** `given`: what the user wrote; `value`: the same, conformed; `unknown`: its unknown fields. */
export type CloseBrokenAuth = (
  given: JsonObject,
  value: JsonObject,
  unknown: readonly UnknownField[],
) => AuthShape;

const checkAuth = authChecker("auth");

/** For ALB2, Frontend and Rule. A null `auth:` counts as broken, because its lines are probably indented too little. */
export function closeBrokenAuth(
  given: JsonObject,
  value: JsonObject,
  unknown: readonly UnknownField[],
): AuthShape {
  const outside = unknown.filter(
    (each) =>
      !startsWith(each.field, AUTH) ||
      (isSelective(each) && !MISPLACED.has(nameOf(each.field).toLowerCase())),
  );
  const strays = outside.filter(isStray);
  const reports = [...strays.map(strayReport), ...authReports(given)];
  const [first] = reports;
  return {
    value: first === undefined ? value : withBrokenAuth(value, first.message),
    reports,
    unknown: outside.filter((field) => !strays.includes(field)),
  };
}

function authReports(value: JsonObject): readonly Report[] {
  const config = fieldsOf(fieldsOf(value["spec"])["config"]);
  if (!Object.hasOwn(config, "auth")) return [];
  const auth = config["auth"];
  return auth === null
    ? [brokenAuth(AUTH, "auth is empty", "remove it, or write auth: {} for no authentication")]
    : checkAuth(auth, CONFIG);
}

/** Checks an auth setting. `name`: its field, which messages mention. */
function authChecker(name: string): (auth: unknown, holder: FieldPath) => readonly Report[] {
  const schema = object({ [name]: AUTH_SCHEMA });
  const validate = validator(schema);
  return (auth, holder) => {
    const value = { [name]: auth };
    const checked = validate(value);
    const errors = checked.valid ? [] : schemaReports(checked.errors, value, () => true);
    const unknown = conform(schema, value).unknown.map(({ field, known }) =>
      brokenAuth(field, `${name} has no field ${nameOf(field)}`, unknownFieldHint(field, known)),
    );
    return [...errors, ...unknown].map((finding) => ({
      ...finding,
      code: "AUTH_CONFIG_INVALID",
      field: [...holder, ...(finding.field ?? [])],
    }));
  };
}

function isStray({ field, preserved }: UnknownField): boolean {
  const name = nameOf(field).toLowerCase();
  const inConfig = field.length === 3 && startsWith(field, CONFIG);
  const inSpec = field.length === 2 && field[0] === "spec" && !preserved;
  if (inConfig && name.length <= "auth".length && didYouMean(name, ["auth"]) !== undefined)
    return true;
  return (inConfig || inSpec) && MISPLACED.has(name);
}

function strayReport({ field }: UnknownField): Report {
  return brokenAuth(
    field,
    `${noField(field)}; it looks like an auth setting in the wrong place`,
    `authentication stands in spec.config.auth, with ${AUTH_METHOD_NAMES.join(" and ")} inside`,
  );
}

function brokenAuth(field: FieldPath, message: string, hint: string | undefined): Report {
  return { code: "AUTH_CONFIG_INVALID", message, field, ...present("hint", hint), at: "key" };
}

function withBrokenAuth(value: JsonObject, why: string): JsonObject {
  const spec = fieldsOf(value["spec"]);
  const config = fieldsOf(spec["config"]);
  return { ...value, spec: { ...spec, config: { ...config, auth: { invalid: why } } } };
}

function startsWith(field: FieldPath, prefix: FieldPath): boolean {
  return prefix.every((step, i) => field[i] === step);
}

const TARGETS = "targetRefs";

const checkSpec = authChecker("spec");

/** A broken AuthPolicy closes its targets. It stays, marked invalid, while its targets are clear; otherwise it is refused. */
export function closeBrokenPolicy(
  given: JsonObject,
  value: JsonObject,
  unknown: readonly UnknownField[],
): AuthShape {
  const { [TARGETS]: _given, ...auth } = fieldsOf(own(given, "spec"));
  const misspelt = unknown.filter(isMisspeltTarget);
  const reports = checkSpec(auth, []).filter(
    ({ field = [] }) => !misspelt.some((stray) => startsWith(field, stray.field)),
  );
  const [first] = reports;
  const targets = fieldsOf(own(value, "spec"))[TARGETS];
  const broken = {
    ...value,
    spec: { ...(targets === undefined ? {} : { [TARGETS]: targets }), invalid: first?.message },
  };
  return {
    value: first === undefined ? value : broken,
    reports,
    refusals: misspelt.map(misspeltTarget),
    unknown: unknown.filter(
      ({ field }) =>
        (field[0] !== "spec" || field[1] === TARGETS) &&
        !misspelt.some((each) => each.field === field),
    ),
  };
}

/** Whether the field is probably a misspelt `targetRefs`: ignoring it would leave the targets without auth. */
export function isMisspeltTarget({ field }: UnknownField): boolean {
  const name = nameOf(field);
  const isMeant =
    /^targets?|refs$|references?$/i.test(name) ||
    didYouMean(name.toLowerCase(), [TARGETS.toLowerCase()]) !== undefined;
  return field[0] === "spec" && isMeant;
}

function misspeltTarget({ field }: UnknownField): Report {
  return brokenAuth(field, `spec has no field ${nameOf(field)}`, `did you mean ${TARGETS}?`);
}
