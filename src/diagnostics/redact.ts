/** Where the user name and password of a URL begin; a URL may lack its scheme, or a slash of it. */
const BEFORE_USER = /:\/\/|:(?=\S)/;

/**
 * The text with the user name and password of every URL, and the secrets of its query, as `*`, one for each character, so that columns
 * stay. What ends a password is the last `@` before a quote: users forget to encode one in it, and hiding too much harms less.
 */
export function withoutUrlSecrets(text: string): string {
  return text
    .split(/(["\n])/)
    .map((part) => redactUser(part).replace(SECRET_PARAMETER, starred))
    .join("");
}

/** What a parameter of a query holds whose name is one of secrets. */
const SECRET_PARAMETER =
  /(?<=[?&;][\w.%-]{0,64}(?:pass|pwd|secret|token|key|cred|auth|sig|jwt|code)[\w.%-]{0,64}=)[^&]+/gi;

function starred(text: string): string {
  return "*".repeat(Array.from(text).length);
}

function redactUser(part: string): string {
  const at = part.lastIndexOf("@");
  const before = at < 0 ? null : BEFORE_USER.exec(part);
  if (before === null) return part;
  const start = before.index + before[0].length;
  if (start >= at) return part;
  return part.slice(0, start) + starred(part.slice(start, at)) + part.slice(at);
}
