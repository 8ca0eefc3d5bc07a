/**
 * An Auth object that is broken must close its paths, not vanish: without it they would be open, and without the whole
 * ALB2, Frontend or Rule they might be served by a wider rule. So the object stays and its `auth` says that it is broken.
 */
import { AUTH_METHOD_NAMES, AUTH_SCHEMA } from "../api/auth.js";
import { object } from "../api/schemas/schema.js";
import type { FieldPath } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../support/did-you-mean.js";
import type { JsonObject } from "../support/json-object.js";
import { isObject, own } from "../support/json-object.js";
import type { UnknownField } from "./conform.js";
import { conform, unknownFieldHint } from "./conform.js";
import type { Report } from "../diagnostics/sink.js";
import { isSelective } from "./misspelt-fields.js";
import { schemaReports, validator } from "./schema-validation.js";

const CONFIG = ["spec", "config"];
const AUTH = [...CONFIG, "auth"];
/** Fields that are in a wrong place if the lines of an auth setting are not indented enough; in lower case. */
const MISPLACED = new Set(["auth", ...AUTH_METHOD_NAMES.map((name) => name.toLowerCase())]);

export interface AuthShape {
  /** The object, with its Auth object replaced if that is broken. */
  readonly value: JsonObject;
  readonly reports: readonly Report[];
  /** What makes the object itself unreadable. */
  readonly refusals?: readonly Report[];
  /** Unknown fields that are no auth settings gone astray. */
  readonly unknown: readonly UnknownField[];
}

/** `given` is what the user wrote, `value` the same without nulls, `unknown` the fields that the kind does not know. */
export type CloseBrokenAuth = (
  given: JsonObject,
  value: JsonObject,
  unknown: readonly UnknownField[],
) => AuthShape;

const checkAuth = authChecker("auth");

/**
 * For `spec.config.auth` of ALB2, Frontend and Rule. An `auth:` without a value counts as broken: its lines are most likely
 * indented too little.
 */
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
  const spec = value["spec"];
  const config = isObject(spec) ? spec["config"] : undefined;
  if (!isObject(config) || !Object.hasOwn(config, "auth")) return [];
  const auth = config["auth"];
  return auth === null
    ? [brokenAuth(AUTH, "auth is empty", "remove it, or write auth: {} for no authentication")]
    : checkAuth(auth, CONFIG);
}

/** Finds what keeps a value from being an Auth object; `name` is the field that holds it, and what messages call it. */
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
  return {
    code: "AUTH_CONFIG_INVALID",
    message,
    field,
    ...(hint === undefined ? {} : { hint }),
    at: "key",
  };
}

function withBrokenAuth(value: JsonObject, why: string): JsonObject {
  const spec = isObject(value["spec"]) ? value["spec"] : {};
  const config = isObject(spec["config"]) ? spec["config"] : {};
  return { ...value, spec: { ...spec, config: { ...config, auth: { invalid: why } } } };
}

function startsWith(field: FieldPath, prefix: FieldPath): boolean {
  return prefix.every((step, i) => field[i] === step);
}

/**
 * An AuthPolicy that is broken must close what it protects. As long as it can be told what that is, the policy stays and its spec
 * says that it is broken; else it is refused.
 */

const SPEC: FieldPath = ["spec"];
const TARGETS = "targetRefs";

const checkSpec = authChecker("spec");

export function closeBrokenPolicy(
  given: JsonObject,
  value: JsonObject,
  unknown: readonly UnknownField[],
): AuthShape {
  const { [TARGETS]: _given, ...auth } = recordAt(given, "spec");
  const misspelt = unknown.filter(isMisspeltTarget);
  const reports = checkSpec(auth, []).filter(
    ({ field = [] }) => !misspelt.some((stray) => startsWith(field, stray.field)),
  );
  const [first] = reports;
  const targets = recordAt(value, "spec")[TARGETS];
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

/** What stands there tells what the policy is for; ignoring it would leave that open. */
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

function recordAt(value: JsonObject, name: string): JsonObject {
  const field = own(value, name);
  return isObject(field) ? field : {};
}
