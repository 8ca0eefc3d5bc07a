/**
 * An Auth object that is broken must close its paths, not vanish: without it they would be open, and without the whole
 * ALB2, Frontend or Rule they might be served by a wider rule. So the object stays and its `auth` says that it is broken.
 */
import { AUTH_SCHEMA } from "../api/auth.js";
import { object } from "../api/schemas/schema.js";
import type { FieldPath } from "../diagnostics/field-path.js";
import { didYouMean } from "../support/did-you-mean.js";
import { conform } from "./conform.js";
import type { UnknownField } from "./conform.js";
import type { Finding } from "./finding.js";
import { isObject } from "../support/json-object.js";
import { schemaFindings } from "./schema-findings.js";
import { isSelective } from "./misspelt-fields.js";
import { unknownFieldHint } from "./unknown-fields.js";
import { validator } from "./validator.js";

type Fields = Readonly<Record<string, unknown>>;

const CONFIG = ["spec", "config"];
const AUTH = [...CONFIG, "auth"];
/** Where an auth setting ends up when its lines are indented too little. */
const MISPLACED = new Set(["auth", "basic", "forward"]);

export interface AuthShape {
  /** The object, with its Auth object replaced if that is broken. */
  readonly value: Fields;
  readonly findings: readonly Finding[];
  /** What makes the object itself unreadable. */
  readonly refusals?: readonly Finding[];
  /** Unknown fields that are no auth settings gone astray. */
  readonly unknown: readonly UnknownField[];
}

/** `given` is what the user wrote, `value` the same without nulls, `unknown` the fields that the kind does not know. */
export type CloseBrokenAuth = (
  given: Fields,
  value: Fields,
  unknown: readonly UnknownField[],
) => AuthShape;

const checkAuth = authChecker("auth");

/**
 * For `spec.config.auth` of ALB2, Frontend and Rule. An `auth:` without a value counts as broken: its lines are most likely
 * indented too little.
 */
export function closeBrokenAuth(
  given: Fields,
  value: Fields,
  unknown: readonly UnknownField[],
): AuthShape {
  const outside = unknown.filter(
    (each) => !startsWith(each.field, AUTH) || (isSelective(each) && !isAuthName(each)),
  );
  const strays = outside.filter(isStray);
  const findings = [...strays.map(strayFinding), ...authFindings(given)];
  const [first] = findings;
  return {
    value: first === undefined ? value : withBrokenAuth(value, first.message),
    findings,
    unknown: outside.filter((field) => !strays.includes(field)),
  };
}

function authFindings(value: Fields): readonly Finding[] {
  const spec = value["spec"];
  const config = isObject(spec) ? spec["config"] : undefined;
  if (!isObject(config) || !Object.hasOwn(config, "auth")) return [];
  const auth = config["auth"];
  return auth === null
    ? [brokenAuth(AUTH, "auth is empty", "remove it, or write auth: {} for no authentication")]
    : checkAuth(auth, CONFIG);
}

/** Finds what keeps a value from being an Auth object; `name` is the field that holds it, and what messages call it. */
export function authChecker(
  name: string,
): (auth: unknown, holder: FieldPath) => readonly Finding[] {
  const schema = object({ [name]: AUTH_SCHEMA });
  const validate = validator(schema);
  return (auth, holder) => {
    const value = { [name]: auth };
    const checked = validate(value);
    const errors = checked.valid ? [] : schemaFindings(checked.errors, value, () => true);
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
      field: [...holder, ...finding.field],
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

function strayFinding({ field }: UnknownField): Finding {
  const name = String(field.at(-1));
  const where = field.slice(0, -1).join(".");
  return brokenAuth(
    field,
    `${where} has no field ${name}; it looks like an auth setting in the wrong place`,
    "authentication stands in spec.config.auth, with basic and forward inside",
  );
}

export function brokenAuth(field: FieldPath, message: string, hint: string | undefined): Finding {
  return {
    code: "AUTH_CONFIG_INVALID",
    message,
    field,
    ...(hint === undefined ? {} : { hint }),
    at: "key",
  };
}

function withBrokenAuth(value: Fields, why: string): Fields {
  const spec = isObject(value["spec"]) ? value["spec"] : {};
  const config = isObject(spec["config"]) ? spec["config"] : {};
  return { ...value, spec: { ...spec, config: { ...config, auth: { invalid: why } } } };
}

export function startsWith(field: FieldPath, prefix: FieldPath): boolean {
  return prefix.every((step, i) => field[i] === step);
}
