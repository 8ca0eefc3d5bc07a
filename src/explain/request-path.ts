import type { Result } from "../support/result.js";
import { ok, problem } from "../support/result.js";

/**
 * The path that routes are compared with, as nginx makes it of a request target: percent-decoded (`%2F` too), `//` merged,
 * dot segments removed. Fragments and the query are cut off. A target that nginx answers 400 is a problem.
 */
export function normalisePath(target: string): Result<string> {
  const raw = /^[^?#]*/.exec(target)?.[0] ?? "";
  const wrong = wrongPath(raw);
  if (wrong !== undefined) return problem(wrong);
  const segments = percentDecode(raw).split("/").slice(1);
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === ".." && kept.pop() === undefined) return problem("the path climbs above /");
    if (!REMOVED.has(segment)) kept.push(segment);
  }
  const open = kept.length > 0 && REMOVED.has(segments.at(-1) ?? "");
  return ok(`/${kept.join("/")}${open ? "/" : ""}`);
}

/** Segments that name no element; at the end they leave the slash before them. */
const REMOVED: ReadonlySet<string> = new Set(["", ".", ".."]);

function wrongPath(raw: string): string | undefined {
  if (!raw.startsWith("/")) return "the path does not start with /";
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) return "a % is not followed by two hexadecimal digits";
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x20\x7f]|%00/.test(raw)) return "the path has a blank, a control character or %00";
  return undefined;
}

/** `%XX` as bytes; anything else stays. */
export function percentDecode(text: string): string {
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
