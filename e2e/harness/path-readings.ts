/** How backends read the path of a request target. */

/** The path that a careful backend makes of a target: query off, decoded, `//` merged, dot segments removed (RFC 3986, 5.2.4). */
function normalised(target: string): string {
  const segments: string[] = [];
  for (const segment of decodedPath(target).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "." && segment !== "") segments.push(segment);
  }
  // An exact path with a final slash is another one.
  const open = segments.length > 0 && /(?:^|\/)\.{0,2}$/.test(decodedPath(target));
  return `/${segments.join("/")}${open ? "/" : ""}`;
}

/** What less careful ones make of it: dot segments left, path parameters dropped, `\\` for `/`. */
const readings: readonly ((target: string) => string)[] = [
  normalised,
  (target) => `/${decodedPath(target)}`.replaceAll(/\/+/g, "/"),
  (target) => normalised(target.replaceAll(/;[^/?#]*/g, "")),
  (target) => normalised(target.replaceAll(/\\|%5c/gi, "/")),
];

function decodedPath(target: string): string {
  return target
    .replace(/^https?:\/\/[^/?#]*/, "")
    .replace(/[?#].*$/, "")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** Every path that some backend makes of a target. */
export function pathReadings(target: string): readonly string[] {
  return readings.map((read) => read(target));
}
