import { Ajv } from "ajv";
import type { ErrorObject, ValidateFunction } from "ajv";
import { KUBERNETES_KEYWORDS } from "../api/schemas/schema.js";
import type { JsonSchema } from "../api/schemas/schema.js";

/** Says whether a value has the shape of T, and if not, why. */
export type Validate<T> = (
  value: unknown,
) =>
  | { readonly valid: true; readonly value: T }
  | { readonly valid: false; readonly errors: readonly ErrorObject[] };

const OPTIONS = {
  allErrors: true,
  verbose: true,
  keywords: [...KUBERNETES_KEYWORDS],
  // test/unit/api/schemas.test.ts checks the schemas themselves; at each start that would cost more than compiling one.
  meta: false,
  validateSchema: false,
};
let ajv: Ajv | undefined;

/** Compiled when first used: a run over Ingresses alone does not pay for the other kinds. */
export function validator<T>(schema: JsonSchema): Validate<T> {
  let compiled: ValidateFunction<T> | undefined;
  return (value) => {
    ajv ??= new Ajv(OPTIONS);
    compiled ??= ajv.compile<T>(schema);
    return compiled(value)
      ? { valid: true, value }
      : { valid: false, errors: compiled.errors ?? [] };
  };
}
