/**
 * A broken auth setting closes its paths. Dropping the setting would open them, and dropping the whole ALB2, Frontend or Rule could let a
 * wider rule serve them. So the object stays, and its `auth` is marked invalid.
 */
import { AUTH_METHOD_NAMES, AUTH_SCHEMA } from "../api/auth.js";
import { object } from "../api/schemas/schema.js";
import type { FieldPath } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../support/did-you-mean.js";
import type { JsonObject } from "../support/json-object.js";
import { fieldsOf, own, present } from "../support/json-object.js";
import type { UnknownField } from "./conform.js";
import { conform, unknownFieldHint } from "./conform.js";
import type { Report } from "../diagnostics/sink.js";
import { isSelective } from "./misspelt-fields.js";
import { schemaReports, validator } from "./schema-validation.js";

const CONFIG = ["spec", "config"];
const AUTH = [...CONFIG, "auth"];
/** Fields, in lower case, that are in the wrong place when the lines of an auth setting are indented too little. */
const MISPLACED = new Set(["auth", ...AUTH_METHOD_NAMES.map((name) => name.toLowerCase())]);

export interface AuthShape {
  /** The object; a broken auth setting in it is replaced by a mark. */
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
    (each) => !startsWith(each.field, AUTH) || (isSelective(each) && !isAuthName(each)),
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
      brokenAuth(
        field,
        `${name} has no field ${String(field.at(-1))}`,
        unknownFieldHint(field, known),
      ),
    );
    return [...errors, ...unknown].map((finding) => ({
      ...finding,
      code: "AUTH_CONFIG_INVALID",
      field: [...holder, ...(finding.field ?? [])],
    }));
  };
}

function isStray({ field, preserved }: UnknownField): boolean {
  const name = String(field.at(-1)).toLowerCase();
  const inConfig = field.length === 3 && startsWith(field, CONFIG);
  const inSpec = field.length === 2 && field[0] === "spec" && !preserved;
  if (inConfig && name.length <= "auth".length && didYouMean(name, ["auth"]) !== undefined)
    return true;
  return (inConfig || inSpec) && MISPLACED.has(name);
}

function isAuthName({ field }: UnknownField): boolean {
  return MISPLACED.has(String(field.at(-1)).toLowerCase());
}

function strayReport({ field }: UnknownField): Report {
  const name = String(field.at(-1));
  const where = field.slice(0, -1).join(".");
  return brokenAuth(
    field,
    `${where} has no field ${name}; it looks like an auth setting in the wrong place`,
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

const SPEC: FieldPath = ["spec"];
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
    unknown: unknown.filter((each) => !isAuthField(each.field) && !misspelt.includes(each)),
  };
}

/** Whether the field is probably a misspelt `targetRefs`: ignoring it would leave the targets without auth. */
export function isMisspeltTarget({ field }: UnknownField): boolean {
  const name = String(field.at(-1));
  const isMeant =
    /^targets?|refs$|references?$/i.test(name) ||
    didYouMean(name.toLowerCase(), [TARGETS.toLowerCase()]) !== undefined;
  return field[0] === "spec" && isMeant;
}

function misspeltTarget({ field }: UnknownField): Report {
  const name = String(field.at(-1));
  return brokenAuth(field, `spec has no field ${name}`, `did you mean ${TARGETS}?`);
}

function isAuthField(field: FieldPath): boolean {
  return startsWith(field, SPEC) && field[1] !== TARGETS;
}
