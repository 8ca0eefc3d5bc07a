/** Readers of the directives that change headers (nginx's headers, proxy and headers-more modules). */
import type { HeaderStep } from "../../../model/filters.js";
import { rolesOf } from "../../../model/special-headers.js";
import type { Interpolation } from "../../../model/values.js";
import { own } from "../../../support/json-object.js";
import { type Result, ok, problem } from "../../../support/result.js";
import { parseTemplate } from "../../auth/template.js";
import {
  isAuthority,
  isHost,
  isOfContent,
  isPlainName,
  requestHeaderProblem,
} from "../../http/headers.js";
import { shownWord } from "./parse.js";
import {
  type DirectiveReader,
  type SnippetReading,
  type Stage,
  readText,
  slotsOf,
  withUsualNames,
} from "./reading.js";

type Header = HeaderStep["headers"][number];

/** Of add_header without `always`, and of expires. */
const USUAL_STATUSES = [200, 201, 204, 206, 301, 302, 303, 304, 307, 308] as const;

/** Headers of which add_header replaces what the backend sent. */
const REPLACED: ReadonlySet<string> = new Set(["content-type", "etag", "last-modified"]);

/** What the gateway sends to backends anyway. */
const SENT_ANYWAY: Readonly<Record<string, readonly string[]>> = {
  host: ["$http_host", "$best_http_host"],
  "x-real-ip": ["$remote_addr", "$the_real_ip"],
  "x-forwarded-for": ["$proxy_add_x_forwarded_for", "$full_x_forwarded_for"],
  "x-forwarded-host": ["$host", "$http_host", "$best_http_host"],
  "x-forwarded-port": ["$server_port", "$pass_port", "$pass_server_port"],
  "x-forwarded-proto": ["$scheme", "$pass_access_scheme"],
  "x-scheme": ["$scheme", "$pass_access_scheme"],
  "x-request-id": ["$request_id", "$req_id"],
};
/** nginx.conf computes them from the client's request before any change. */
const COMPUTED: ReadonlySet<string> = new Set(["x-forwarded-for", "x-request-id"]);

/** more_set_headers, more_clear_headers and those of the request. */
export function moreHeaders(stage: "shown" | "input", action: "sets" | "clears"): DirectiveReader {
  return (args, into) => {
    const options = moreOptions(args, stage);
    if (!options.ok) {
      into.problems.push(options.problem);
      return;
    }
    const { step, lines } = options.value;
    const headers = lines.flatMap((line) => {
      const colon = action === "clears" ? -1 : line.indexOf(":");
      const name = (colon === -1 ? line : line.slice(0, colon)).trim();
      return headerOf(stage, name, colon === -1 ? "" : line.slice(colon + 1).trim(), into);
    });
    if (headers.length > 0) change(into, stage, { ...step, headers });
  };
}

/** The options come first; each of `-s` and `-t` is followed by a list that blanks separate. */
function moreOptions(
  args: readonly string[],
  stage: "shown" | "input",
): Result<{ readonly step: Omit<HeaderStep, "headers">; readonly lines: readonly string[] }> {
  let step: Omit<HeaderStep, "headers"> = {};
  for (let at = 0; ; at += 2) {
    const [option = "", list = ""] = args.slice(at, at + 2);
    if (!option.startsWith("-")) return ok({ step, lines: args.slice(at) });
    if (option === "-r" && stage === "input") {
      step = { ...step, ifPresent: true };
      at -= 1;
      continue;
    }
    const added = conditionOf(option, list, step);
    if (added === undefined || (option === "-s" && stage === "input")) {
      return problem(`can't be read at its option ${shownWord(option)}`);
    }
    step = { ...step, ...added };
  }
}

/** The condition of an option, with those of the same option before it. */
function conditionOf(
  option: string,
  list: string,
  { statuses = [], types = [] }: Omit<HeaderStep, "headers">,
): Omit<HeaderStep, "headers"> | undefined {
  const items = list.split(/\s+/).filter((item) => item !== "");
  if (items.length === 0) return undefined;
  if (option === "-t") {
    return { types: [...new Set([...types, ...items.map((item) => item.toLowerCase())])] };
  }
  if (option !== "-s" || !items.every((item) => /^[1-5]\d\d$/.test(item))) return undefined;
  return { statuses: [...new Set([...statuses, ...items.map(Number)])] };
}

export const addedHeader: DirectiveReader = ([name = "", value, ...more], into) => {
  const isAlways = more[0] === "always";
  if (value === undefined || more.length > Number(isAlways)) {
    into.problems.push("takes a name, a value and perhaps `always`");
    return;
  }
  const headers = headerOf("added", name, value, into);
  if (headers.length === 0) return;
  const step = {
    headers,
    ...(!REPLACED.has(name.toLowerCase()) && { adds: true as const }),
    ...(!isAlways && { statuses: USUAL_STATUSES }),
  };
  change(into, "added", step);
};

export function sentHeader(stage: "sent" | "asked"): DirectiveReader {
  return ([name = "", value, ...more], into) => {
    if (value === undefined || more.length > 0) {
      into.problems.push("takes a name and a value");
      return;
    }
    const headers = headerOf(stage, name, value, into);
    if (headers.length > 0) change(into, stage, { headers });
  };
}

export const hiddenHeader: DirectiveReader = ([name = "", ...more], into) => {
  if (more.length > 0) {
    into.problems.push("takes a name");
    return;
  }
  const headers = headerOf("hidden", name, "", into);
  if (headers.length > 0) change(into, "hidden", { headers, ofBackend: true });
};

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  ...{ "": 1, s: 1, m: 60, h: 3600, d: 86_400 },
  ...{ w: 604_800, M: 2_592_000, y: 31_536_000 },
};

const FIXED_TIMES: Readonly<Record<string, readonly Header[]>> = {
  epoch: [
    ["Cache-Control", ["no-cache"]],
    ["Expires", ["Thu, 01 Jan 1970 00:00:01 GMT"]],
  ],
  max: [
    ["Cache-Control", ["max-age=315360000"]],
    ["Expires", ["Thu, 31 Dec 2037 23:55:55 GMT"]],
  ],
  // It only hides that of the host.
  off: [],
};

/** A time gives no Expires, which would need a clock: it says the same as max-age, which wins over it (RFC 9111, 5.3). */
function timeHeaders(time: string): readonly Header[] | undefined {
  const [text, minus, count, unit = ""] = /^(-?)(\d{1,9})([smhdwMy]?)$/.exec(time) ?? [];
  if (text === undefined) return undefined;
  const age = Number(count) * (own(UNIT_SECONDS, unit) ?? 1);
  return [
    ["Cache-Control", [minus === "-" ? "no-cache" : `max-age=${String(age)}`]],
    ["Expires", []],
  ];
}

export const readExpires: DirectiveReader = ([time = "", ...more], into) => {
  const headers = own(FIXED_TIMES, time) ?? timeHeaders(time);
  if (headers === undefined || more.length > 0)
    into.problems.push(`can't be read at ${shownWord(time)}`);
  else change(into, "expires", { headers, statuses: USUAL_STATUSES });
};

/**
 * The header with its value; none: it can't be set, which is reported. A request is then without it, so that its reader does not take the
 * client's own for it. No message has the value, which may be a secret.
 */
function headerOf(
  stage: Stage,
  name: string,
  value: string,
  into: SnippetReading,
): readonly Header[] {
  const wrong = nameProblem(name, value === "" && MAY_END_OPEN.has(stage));
  if (wrong !== undefined) {
    into.problems.push(wrong);
    return [];
  }
  const idle = idleReason(stage, name, value);
  if (idle !== undefined) {
    into.idle.push(`${name} ${idle}`);
    return [];
  }
  const refused = refusal(stage, name, value);
  if (refused !== undefined) {
    into.problems.push(refused);
    return [];
  }
  // RFC 9112, 5.2: a line break before a blank is a blank.
  const unfolded = value.replace(/\r?\n[ \t]+/g, " ").trim();
  const isHostOfBackend = OF_BACKEND.has(stage) && isHost(name);
  const read = isHostOfBackend ? parseHost(unfolded, into) : readText(unfolded, into);
  if (read.ok) return [[name, read.value]];
  into.problems.push(`${name} ${read.problem}`);
  return isOfRequest(stage) && !isHostOfBackend ? [[name, []]] : [];
}

/** Requests to backends. */
const OF_BACKEND: ReadonlySet<Stage> = new Set<Stage>(["input", "sent"]);

export function isOfRequest(stage: Stage): boolean {
  return stage === "asked" || OF_BACKEND.has(stage);
}

function idleReason(stage: Stage, name: string, value: string): string | undefined {
  if (rolesOf(name)?.includes("connection") === true) return "stays the gateway's";
  const isSame =
    OF_BACKEND.has(stage) && own(SENT_ANYWAY, name.toLowerCase())?.includes(value) === true;
  return isSame ? "is sent anyway" : undefined;
}

/** Where the name of a removed header may end with `*`. */
const MAY_END_OPEN: ReadonlySet<Stage> = new Set<Stage>(["input", "shown"]);

const MAX_NAME = 256;

function nameProblem(name: string, mayEndOpen: boolean): string | undefined {
  const plain = mayEndOpen && name.endsWith("*") ? name.slice(0, -1) : name;
  return isPlainName(plain) && name.length <= MAX_NAME
    ? undefined
    : `can't have the header name ${shownWord(name)}`;
}

/** Why no value of the header can be set. */
function refusal(stage: Stage, name: string, value: string): string | undefined {
  if (stage === "asked" && isOfContent(name)) {
    return `${name} is not sent: the auth request has no content`;
  }
  if (!OF_BACKEND.has(stage)) return undefined;
  if (COMPUTED.has(name.toLowerCase())) return `${name} is what the gateway itself tells backends`;
  if (isHost(name)) return value === "" ? "Host can't be removed" : undefined;
  return requestHeaderProblem(value === "" ? "remove" : "set", name);
}

function parseHost(value: string, into: SnippetReading): Result<Interpolation> {
  const host = parseTemplate(withUsualNames(value), "host", slotsOf(into));
  const literals = host.ok ? host.value.filter((part) => typeof part === "string").join("") : "";
  return literals === "" || isAuthority(literals) ? host : problem("is no host");
}

function change(into: SnippetReading, stage: Stage, step: HeaderStep): void {
  into.changes.push({ stage, step, number: into.number });
}
