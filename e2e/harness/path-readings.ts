/** How backends read the path of a request target. */

/** The path without `//` and dot segments (RFC 3986, 5.2.4). */
function resolved(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "." && segment !== "") segments.push(segment);
  }
  // An exact path with a final slash is another one.
  const open = segments.length > 0 && /(?:^|\/)\.{0,2}$/.test(path);
  return `/${segments.join("/")}${open ? "/" : ""}`;
}

const asItIs = (path: string) => path;
const decoded = (path: string) =>
  path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
const withoutParameters = (path: string) => path.replaceAll(/;[^/]*/g, "");
const overlong = (path: string) =>
  path.replaceAll(/[\xc0\xc1]([\x80-\xbf])/g, (_, low: string) =>
    String.fromCharCode(low.charCodeAt(0) - 0x80),
  );
const withoutBlanks = (path: string) => path.replaceAll(/[\s\x85]+(?=[/\\;]|$)/g, "");
const careless = (path: string) => withoutBlanks(overlong(decoded(decoded(path))));
const withSlashes = (path: string) => path.replaceAll(/\\|%5c/gi, "/");

/**
 * Every path that some backend makes of a target: decoded once, or twice by an application behind a server; path parameters
 * dropped before or after; `\\` taken for `/`; dot segments removed, or left alone; overlong UTF-8 read as ASCII and blanks
 * at the end of a segment dropped.
 */
export function pathReadings(target: string): readonly string[] {
  const raw = target.replace(/^https?:\/\/[^/?#]*/, "").replace(/[?#].*$/, "");
  const paths = [asItIs, decoded, careless].flatMap((first) =>
    [asItIs, withSlashes].flatMap((slashes) => {
      const path = slashes(first(raw));
      return [decoded(path), decoded(withoutParameters(path)), withoutParameters(decoded(path))];
    }),
  );
  return [...paths.map(resolved), `/${decoded(raw)}`.replaceAll(/\/+/g, "/")];
}
