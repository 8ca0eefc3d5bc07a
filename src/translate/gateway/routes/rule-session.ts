import { createHash } from "node:crypto";
import type { SessionPersistenceSpec } from "../../../api/gateway.js";
import type { Session } from "../../../model/route.js";
import { durationMilliseconds } from "../../../support/units.js";
import { parseHeaderName } from "../../auth/http-headers.js";
import { droppedHeaderProblem, isHeaderName } from "../../http/special-headers.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import type { RouteProblems } from "../route-problems.js";

const TYPES = ["Cookie", "Header"] as const;
const LIFETIMES = ["Session", "Permanent"] as const;
const ID_LENGTH = 10;
/** RFC 6265, 4.1.1: what ends an attribute can't be in one. */
const COOKIE_PATH = /^\/[\x20-\x3a\x3c-\x7e]*$/;

/** `route` is the id of the rule's route, which makes the name where the rule gives none. */
export function ruleSession(
  spec: SessionPersistenceSpec,
  route: string,
  place: Place,
  problems: RouteProblems,
): Session | undefined {
  const type = problems.choice(spec.type ?? "Cookie", TYPES, within(place, "type"));
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

/** A token in a header of the connection would end the answer where it does not end. */
function nameProblem(name: string, type: (typeof TYPES)[number]): string | undefined {
  if (!isHeaderName(name)) {
    return `${JSON.stringify(name)} is not the name of a ${type.toLowerCase()}`;
  }
  if (type === "Cookie") return undefined;
  const parsed = parseHeaderName(name);
  return parsed.ok ? droppedHeaderProblem(name) : `a session ${parsed.problem}`;
}

/** Rules without a name must not take each other's sessions. */
function sessionName(
  { cookie, header, sessionName: legacy }: SessionPersistenceSpec,
  type: (typeof TYPES)[number],
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

/** Whole seconds, rounded up: Max-Age has no fractions. None is no limit. */
function seconds(text: string | undefined): number | undefined {
  const milliseconds = text === undefined ? 0 : durationMilliseconds(text);
  return milliseconds > 0 ? Math.ceil(milliseconds / 1000) : undefined;
}
