/** The JSON Schema of policy.json, made from the model's types, and what else is made from it. */
import { join } from "node:path";
import { Ajv } from "ajv";
import { createGenerator } from "ts-json-schema-generator";

/** What of JSON Schema the policy's uses. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "number" | "integer" | "boolean";
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Schema;
  readonly items?: Schema | readonly Schema[];
  readonly additionalItems?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const ROOT = join(import.meta.dirname, "../..");
const generated = createGenerator({
  path: join(ROOT, "src/model/policy.ts"),
  tsconfig: join(ROOT, "tsconfig.json"),
  type: "PolicyDocument",
  skipTypeCheck: true,
  encodeRefs: false,
}).createSchema("PolicyDocument");

export const POLICY_SCHEMA = withConventions(generated) as Schema;

/** All numbers are whole ones; lists that may be absent, and those of a map, are not empty. */
function withConventions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withConventions);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, withConventions(value)]);
  const copy = Object.fromEntries(entries) as Record<string, unknown>;
  if (copy["type"] === "number") copy["type"] = "integer";
  const { properties = {}, required = [], additionalProperties } = copy as Schema;
  const optional = Object.entries(properties).filter(([name]) => !required.includes(name));
  for (const field of [...optional.map(([, each]) => each), additionalProperties]) {
    if (typeof field === "object" && field.type === "array" && field.minItems === undefined)
      Object.assign(field, { minItems: 1 });
  }
  return copy;
}

// A list of values after a first one has no end.
const options = { strict: true, strictTuples: false, allErrors: true };
const validate = new Ajv(options).compile(POLICY_SCHEMA);

/** What a value has against being a policy, one line each; empty for a policy. */
export function policyErrors(value: unknown): readonly string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ""}`);
}
