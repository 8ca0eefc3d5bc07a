// eslint-disable-next-line no-restricted-imports -- not our dist/: it is where ajv has draft 2020-12
import { Ajv2020 } from "ajv/dist/2020.js";
import schema from "../../src/render/policy/policy.schema.json" with { type: "json" };

// strictTuples knows closed tuples alone, and a test for "in" has any number of values.
const options = { strict: true, strictTuples: false, allErrors: true };
const validate = new Ajv2020(options).compile(schema);

/** What a value has against being a policy, one line each; empty for a policy. */
export function policyErrors(value: unknown): readonly string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ""}`);
}
