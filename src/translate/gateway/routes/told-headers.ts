/** What backends are told of a request by the data plane itself, in lower case: where it came from, and how. */
const TOLD: ReadonlySet<string> = new Set([
  "x-albc-turns",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-original-uri",
  "x-real-ip",
  "x-scheme",
]);

/** Never sent to backends: other ways to say the same, and what some of them take for another request. */
const DROPPED: ReadonlySet<string> = new Set([
  "forwarded",
  "http2-settings",
  "proxy",
  "x-forwarded-scheme",
  "x-forwarded-ssl",
  "x-original-url",
  "x-rewrite-url",
  ...["x-auth-request-redirect", "x-forwarded-method", "x-forwarded-uri", "x-sent-from"],
]);

/** What describes the request as another gateway got it. */
const ORIGINAL = "x-original-";

/** May be changed as they are; with `_` for `-` they are dropped, since many backends take both for one header. */
const ONE_SPELLING: ReadonlySet<string> = new Set([
  "content-length",
  "host",
  "transfer-encoding",
  "x-forwarded-for",
  "x-forwarded-prefix",
  "x-request-id",
]);

/** Why a filter can't set this header of requests, or add to it. */
export function tellingProblem(name: string): string | undefined {
  const { lower, dashed } = spellings(name);
  if (TOLD.has(dashed)) return `${name} is what the gateway itself tells backends`;
  const isDropped =
    DROPPED.has(dashed) ||
    dashed.startsWith(ORIGINAL) ||
    (ONE_SPELLING.has(dashed) && lower !== dashed);
  return isDropped ? `${name} is never sent to backends` : undefined;
}

/** Why a filter can't remove it. */
export function removalProblem(name: string): string | undefined {
  const { lower } = spellings(name);
  return TOLD.has(lower) || lower === "x-forwarded-for"
    ? `${name} is what the gateway itself tells backends`
    : undefined;
}

function spellings(name: string): { readonly lower: string; readonly dashed: string } {
  const lower = name.toLowerCase();
  return { lower, dashed: lower.replaceAll("_", "-") };
}
