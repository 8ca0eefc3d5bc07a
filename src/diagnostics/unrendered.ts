/** Texts that something should have replaced before albc reads them. */

/** `{{ … }}` of Helm and others. */
export const TEMPLATE = /\{\{[^{}\r\n]*\}\}/;
export const TEMPLATE_HINT =
  "give albc the output of the template, such as `helm template … | albc validate -f -`";
/** Of envsubst, Flux and others; nginx's own variables are in lower case. */
const VARIABLE = /\$\{[A-Z_][A-Z0-9_]*\}/;

/** What to do about a text that is wrong because it was not rendered; undefined for other texts. */
export function unrenderedHint(text: string): string | undefined {
  if (TEMPLATE.test(text)) return `this template was not rendered: ${TEMPLATE_HINT}`;
  const variable = VARIABLE.exec(text)?.[0];
  return variable === undefined
    ? undefined
    : `${variable} was not replaced: give albc the output of what replaces it, such as \`envsubst\``;
}
