/** Where the user name and password of a URL begin; a URL may lack its scheme, or a slash of it. */
const BEFORE_USER = /:\/\/|:(?=\S)/;

/**
 * The text with the user name and password of every URL as `*`, one for each character, so that columns stay. What ends them is the last
 * `@` before a quote: users forget to encode one in a password, and hiding too much harms less.
 */
export function withoutUserinfo(text: string): string {
  if (!text.includes("@")) return text;
  return text
    .split(/(["\n])/)
    .map(redactPart)
    .join("");
}

function redactPart(part: string): string {
  const at = part.lastIndexOf("@");
  const before = at < 0 ? null : BEFORE_USER.exec(part);
  if (before === null) return part;
  const start = before.index + before[0].length;
  if (start >= at) return part;
  const stars = "*".repeat(Array.from(part.slice(start, at)).length);
  return part.slice(0, start) + stars + part.slice(at);
}
