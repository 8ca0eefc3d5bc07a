/** The noun with its article: `an Ingress`, `a Secret`, `an HTTPRoute`. */
export function withArticle(noun: string): string {
  return `${/^(?:[AEIO]|HTTP)/i.test(noun) ? "an" : "a"} ${noun}`;
}

/** The items of a comma-separated list. */
export function textList(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Neither undefined nor empty. */
export function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

/** The first texts, separated by semicolons, and the number of the others. */
export function listed(texts: readonly string[], most = 8): string {
  const more = texts.length - most;
  return [...texts.slice(0, most), ...(more > 0 ? [`and ${String(more)} more`] : [])].join("; ");
}

/** A 32-bit hash of a text (FNV-1a), for spreading: anyone can make texts with the same hash. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash;
}

/** An ISO 8601 time in UTC without a fraction of seconds, as Kubernetes writes times (RFC 3339). */
export function inSeconds(time: string): string {
  return time.replace(/\.\d+Z$/, "Z");
}

/** The message of a caught value. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
