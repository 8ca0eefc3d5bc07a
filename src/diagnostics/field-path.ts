/** A place inside an object: property names and list positions from its root. */
export type FieldPath = readonly (string | number)[];

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/** `["spec", "rules", 0, "host"]` as `spec.rules[0].host`; other names are bracketed and quoted. */
export function formatFieldPath(path: FieldPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${String(step)}]`;
    else if (PLAIN_NAME.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}
