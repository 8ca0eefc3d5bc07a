/** Characters of a path (RFC 3986, 3.3) that stand for themselves, and octets that are encoded already. */
const LEGAL = /%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~!$&'()*+,;=:@/]/y;

/**
 * The prefix of an ExternalAuth filter as it can stand before a request's path: without a slash at its end, dot segments and
 * repeated slashes removed, so that it stays a prefix, and every other octet encoded, so that it can't end the path or begin another
 * request. Empty: no prefix. Source: Gateway API, HTTPAuthConfig.path, "MUST sanitize".
 */
export function sanitizePrefix(path: string): string {
  const segments: string[] = [];
  for (const segment of encode(path).split("/")) {
    if (segment === "" || isDot(segment, 1)) continue;
    if (isDot(segment, 2)) segments.pop();
    else segments.push(segment);
  }
  return segments.map((segment) => `/${segment}`).join("");
}

/** Dots may be written encoded. */
function isDot(segment: string, count: number): boolean {
  return segment.replaceAll(/%2e/gi, ".") === ".".repeat(count);
}

function encode(text: string): string {
  let encoded = "";
  let position = 0;
  while (position < text.length) {
    LEGAL.lastIndex = position;
    const legal = LEGAL.exec(text)?.[0];
    const taken = legal ?? String.fromCodePoint(text.codePointAt(position) ?? 0);
    encoded += legal ?? octets(taken);
    position += taken.length;
  }
  return encoded;
}

function octets(character: string): string {
  return [...Buffer.from(character, "utf8")]
    .map((octet) => `%${octet.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}
