/** Texts that another program should have changed before albc reads them, or that one has changed. */
import { own } from "../support/json-object.js";

/** `{{ … }}` of Helm and others. */
export const TEMPLATE = /\{\{[^{}\r\n]*\}\}/;
export const TEMPLATE_HINT =
  "give albc the output of the template, such as `helm template … | albc validate -f -`";
export const KUSTOMIZE_HINT =
  "give albc the output of kustomize, such as `kustomize build … | albc validate -f -`";
/** Of envsubst, Flux and others; nginx's own variables are in lower case. */
const VARIABLE = /\$\{[A-Z_][A-Z0-9_]*\}/;

/** Characters that look like those of YAML, as web pages and word processors write them. */
export const LOOKALIKE = /[\u00a0\u2007\u202f\u2018\u2019\u201c\u201d]/;

/** What to do about text with such a character. */
export function lookalikeHint(character: string): string {
  const isSpace = /\s/.test(character);
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  const [noun, plain] = isSpace
    ? ["no-break space", "a plain space"]
    : ["typographic quote", `' or "`];
  return `replace the ${noun} (${code}) by ${plain}`;
}

/** Files that other programs read, by their names. */
const INPUTS: Readonly<Record<string, string>> = {
  "Chart.yaml": `this folder is a chart: ${TEMPLATE_HINT}`,
  "values.yaml": `values are of a chart: ${TEMPLATE_HINT}`,
  "kustomization.yaml": KUSTOMIZE_HINT,
  "kustomization.yml": KUSTOMIZE_HINT,
};

/** What to do about a file that albc can't use itself; undefined for other files. */
export function inputHint(path: string): string | undefined {
  return own(INPUTS, path.slice(path.lastIndexOf("/") + 1));
}

/** What to do about a text that is wrong because of where it comes from; undefined for other texts. */
export function unrenderedHint(text: string): string | undefined {
  const lookalike = LOOKALIKE.exec(text)?.[0];
  if (lookalike !== undefined) return lookalikeHint(lookalike);
  if (TEMPLATE.test(text)) return `this template was not rendered: ${TEMPLATE_HINT}`;
  const variable = VARIABLE.exec(text)?.[0];
  return variable === undefined
    ? undefined
    : `${variable} was not replaced: give albc the output of what replaces it, such as \`envsubst\``;
}
