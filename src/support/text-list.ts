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
