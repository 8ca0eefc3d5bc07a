/** `an Ingress`, `a Secret`, `an HTTPRoute`: the noun with its article, as it is spoken. */
export function withArticle(noun: string): string {
  return `${/^(?:[AEIO]|HTTP)/i.test(noun) ? "an" : "a"} ${noun}`;
}

/** The items of a list that is written with commas. */
export function textList(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Given, and not empty. */
export function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

/** The first texts in one sentence, and how many more there are. */
export function listed(texts: readonly string[], most = 8): string {
  const more = texts.length - most;
  return [...texts.slice(0, most), ...(more > 0 ? [`and ${String(more)} more`] : [])].join("; ");
}

/** What a caught value says. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
