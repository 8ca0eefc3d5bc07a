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

/** The first texts and the number of the others, as a part of a sentence. */
export function shortened(texts: readonly string[], most: number): string {
  const shown = texts.slice(0, most).join(", ");
  const more = texts.length - most;
  return more > 0 ? `${shown} and ${String(more)} more` : shown;
}

/** Characters that a terminal or a browser obeys instead of showing: control characters, and marks of the direction of writing. */
export const OBEYED = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu;

/** The text with such characters written as `\u001b`. */
export function visible(text: string): string {
  return text.replace(OBEYED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same for a text of several lines, with tabs. */
export function visibleLines(text: string): string {
  return text.replace(OBEYED, (char) => (char === "\n" || char === "\t" ? char : visible(char)));
}

/** The value as JSON that a terminal can show; JSON itself escapes only some of these characters. */
export function visibleJson(value: unknown, indent?: number): string {
  return visibleLines(JSON.stringify(value, null, indent));
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
