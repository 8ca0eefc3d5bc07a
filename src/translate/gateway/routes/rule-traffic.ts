/** Timeouts, retries and sessions of a rule. */
import { createHash } from "node:crypto";
import type {
  HttpRouteRetry,
  HttpRouteRule,
  SessionPersistenceSpec,
} from "../../../api/gateway.js";
import { DEFAULT_TIMEOUTS, type Retry, type Route, type Session } from "../../../model/route.js";
import { rolesOf } from "../../../model/special-headers.js";
import { filled } from "../../../support/json-object.js";
import { durationMilliseconds } from "../../../support/units.js";
import { droppedHeaderProblem, isHeaderName } from "../../http/headers.js";
import { type Place, within } from "../../place.js";
import type { RouteProblems } from "../route-problems.js";

const CODES = [500, 502, 503, 504] as const;
const DEFAULT_ATTEMPTS = 1;
/** A request has ten tries in all (lua/alb/turns.lua). */
const MOST_ATTEMPTS = 9;

/** The data plane retries immediately, so `backoff` is unsupported; `codes` are limited to those that nginx can retry. */
export function ruleRetry(spec: HttpRouteRetry, place: Place, problems: RouteProblems): Retry {
  if (spec.backoff !== undefined) {
    problems.unsupported("there can be no pause between tries", within(place, "backoff"));
  }
  const codes = new Set<(typeof CODES)[number]>();
  for (const [index, code] of (spec.codes ?? []).entries()) {
    const known = CODES.find((candidate) => candidate === code);
    if (known !== undefined) codes.add(known);
    else {
      const message = `${String(code)} is none of ${CODES.join(", ")}`;
      problems.unsupported(message, within(place, "codes", index));
    }
  }
  const { attempts = DEFAULT_ATTEMPTS } = spec;
  if (attempts > MOST_ATTEMPTS) {
    const message = `${String(attempts)} further tries are asked for, and ${String(MOST_ATTEMPTS)} are made`;
    problems.lessened(message, within(place, "attempts"));
  }
  return {
    ...filled(
      "codes",
      [...codes].sort((a, b) => a - b),
    ),
    attempts: Math.min(attempts, MOST_ATTEMPTS),
  };
}

/** Replaces a timeout that is switched off, in milliseconds: a day, which no request outlives. */
const OFF = 86_400_000;

/** `0s` switches a timeout off. A deadline also replaces a shorter limit for silence. */
export function ruleTimeouts(
  spec: NonNullable<HttpRouteRule["timeouts"]>,
): Pick<Route, "timeouts" | "deadlines"> {
  const request = milliseconds(spec.request);
  const backendRequest = milliseconds(spec.backendRequest);
  const limit = backendRequest ?? request;
  if (limit === undefined) return {};
  const silence = limit === 0 ? OFF : limit;
  const { connect, send, read } = DEFAULT_TIMEOUTS;
  const deadlines = {
    ...(isLimit(request) && { request }),
    ...(isLimit(backendRequest) && { backendRequest }),
  };
  return {
    // A deadline does not shorten the allowed silence: the longer of the two applies.
    timeouts: { connect, send: Math.max(send, silence), read: Math.max(read, silence) },
    ...(Object.keys(deadlines).length > 0 && { deadlines }),
  };
}

function milliseconds(text: string | undefined): number | undefined {
  return text === undefined ? undefined : durationMilliseconds(text);
}

function isLimit(value: number | undefined): value is number {
  return value !== undefined && value > 0;
}

const SESSION_TYPES = ["Cookie", "Header"] as const;
const LIFETIMES = ["Session", "Permanent"] as const;
const ID_LENGTH = 10;
/** RFC 6265, 4.1.1: without control characters and the `;` that ends an attribute. */
const COOKIE_PATH = /^\/[\x20-\x3a\x3c-\x7e]*$/;

/** `route`: id of the rule's route, from which the name is derived if the rule has none. */
export function ruleSession(
  spec: SessionPersistenceSpec,
  route: string,
  place: Place,
  problems: RouteProblems,
): Session | undefined {
  const type = problems.choice(spec.type ?? "Cookie", SESSION_TYPES, within(place, "type"));
  if (type === undefined) return undefined;
  if (spec.idleTimeout !== undefined) {
    const message = "when a session was last used is not known, only when it began";
    problems.unsupported(message, within(place, "idleTimeout"));
  }
  const absoluteTimeout = seconds(spec.absoluteTimeout);
  const timeout = absoluteTimeout === undefined ? {} : { absoluteTimeout };
  const name = sessionName(spec, type, route);
  const problem = nameProblem(name, type);
  if (problem !== undefined) problems.unsupported(problem, place);
  if (type === "Header") {
    return { in: "header", name, path: "/", ...timeout };
  }
  const cookie = cookieAttributes(spec, absoluteTimeout, place, problems);
  return { in: "cookie", name, ...cookie, ...timeout };
}

function cookieAttributes(
  spec: SessionPersistenceSpec,
  absoluteTimeout: number | undefined,
  place: Place,
  problems: RouteProblems,
): Pick<Session, "path" | "permanent"> {
  const permanent = isPermanent(spec, place, problems);
  if (permanent && absoluteTimeout === undefined) {
    problems.unsupported("a permanent cookie needs absoluteTimeout", place);
  }
  const path = spec.cookie?.path ?? "/";
  if (!COOKIE_PATH.test(path)) {
    const message = `${JSON.stringify(path)} can't be the path of a cookie`;
    problems.unsupported(message, within(place, "cookie", "path"));
  }
  return { path, ...(permanent && { permanent }) };
}

/** A special header can't hold the token: it would change where the response ends, or what gateways and browsers do with it. */
function nameProblem(name: string, type: (typeof SESSION_TYPES)[number]): string | undefined {
  if (!isHeaderName(name)) {
    return `${JSON.stringify(name)} is not the name of a ${type.toLowerCase()}`;
  }
  if (type === "Cookie") return undefined;
  return rolesOf(name) === undefined
    ? droppedHeaderProblem(name)
    : `a session must not name the header ${name}, which has a meaning of its own`;
}

/** The default name is unique, so that rules do not share sessions. */
function sessionName(
  { cookie, header, sessionName: legacy }: SessionPersistenceSpec,
  type: (typeof SESSION_TYPES)[number],
  route: string,
): string {
  const given = (type === "Cookie" ? cookie?.name : header?.name) ?? legacy;
  if (given !== undefined && given !== "") return given;
  const id = createHash("sha256").update(route).digest("hex").slice(0, ID_LENGTH);
  return type === "Cookie" ? `session-${id}` : `X-Session-${id}`;
}

function isPermanent(spec: SessionPersistenceSpec, place: Place, problems: RouteProblems): boolean {
  const [lifetime, field] =
    spec.cookieConfig === undefined
      ? [spec.cookie?.lifetimeType, "cookie"]
      : [spec.cookieConfig.lifetimeType ?? spec.cookie?.lifetimeType, "cookieConfig"];
  const at = within(place, field, "lifetimeType");
  return problems.choice(lifetime ?? "Session", LIFETIMES, at) === "Permanent";
}

/** Whole seconds, rounded up, because Max-Age has no fractions; undefined: no limit. */
function seconds(text: string | undefined): number | undefined {
  const milliseconds = text === undefined ? 0 : durationMilliseconds(text);
  return milliseconds > 0 ? Math.ceil(milliseconds / 1000) : undefined;
}
