/** `an Ingress`, `a Secret`, `an HTTPRoute`: the noun with its article, as it is spoken. */
export function withArticle(noun: string): string {
  return `${/^(?:[AEIO]|HTTP)/i.test(noun) ? "an" : "a"} ${noun}`;
}
