/** What a request must pass before it reaches a backend, in a form in which two versions can be compared. */
import { describeAuth } from "../explain/format.js";
import { explainAuth } from "../explain/outcome.js";
import type { PolicyDocument, PolicyRoute } from "../model/policy.js";
import { own } from "../support/json-object.js";

/** Kinds of checks of which one must pass, such as `basic`, or `basic` and `source ranges`. */
export type Clause = readonly string[];

export interface Protection {
  /** Each must pass. None: the requests are open. */
  readonly clauses: readonly Clause[];
  /** The checks as text, one each. */
  readonly checks: readonly string[];
  /** Their whole content: if it differs, other requests may pass. */
  readonly content: unknown;
}

export const OPEN: Protection = { clauses: [], checks: [], content: null };

/** All of several protections. */
export function allOf(protections: readonly Protection[]): Protection {
  const [first = OPEN, ...others] = protections.filter(({ checks }) => checks.length > 0);
  if (others.length === 0) return first;
  const all = [first, ...others];
  return {
    clauses: all.flatMap(({ clauses }) => clauses),
    checks: all.flatMap(({ checks }) => checks),
    content: all.map(({ content }) => content),
  };
}

/** What holds whichever of several protections applies. */
export function anyOf(protections: readonly Protection[]): Protection {
  const [first = OPEN, ...others] = protections;
  if (others.length === 0) return first;
  const clauses = protections.flatMap((each) => each.clauses);
  return {
    clauses: clauses.filter((clause) => protections.every((each) => implies(each.clauses, clause))),
    checks: [...new Set(protections.flatMap(({ checks }) => checks))],
    content: protections.map(({ content }) => content),
  };
}

function implies(clauses: readonly Clause[], clause: Clause): boolean {
  return clauses.some((each) => each.every((kind) => clause.includes(kind)));
}

/** Whether fewer kinds of checks are left, and no new one. */
export function isWeaker(before: Protection, now: Protection): boolean {
  return (
    now.clauses.every((clause) => implies(before.clauses, clause)) &&
    before.clauses.some((clause) => !implies(now.clauses, clause))
  );
}

/** A refusal because a restriction can't be enforced. */
export function closed(reason: string): Protection {
  const why = reason.replace(/^AuthFail : invalid cfg /, "");
  return { clauses: [["closed"]], checks: [`broken, so closed: ${why}`], content: ["closed"] };
}

export function clientCertificate(authorities: string): Protection {
  const checks = ["client certificate"];
  return { clauses: [checks], checks, content: ["client certificate", authorities] };
}

/** Of a route, with what it inherits, but without its backends. */
export function protectionOf(policy: PolicyDocument, route: PolicyRoute): Protection {
  const auth = authProtection(policy, route, route.auth);
  const ranges = rangeProtections(route);
  const all = allOf([auth, ...ranges]);
  const isEither = route.satisfy === "any" && auth !== OPEN && hasRanges(route);
  // A broken policy refuses every request, whatever its address is (lua/alb/auth/access.lua).
  if (!isEither || auth.clauses.flat().includes("closed")) return all;
  // A client that is not denied passes without auth.
  const [range] = ranges;
  if (range === undefined) return OPEN;
  return {
    clauses: auth.clauses.map((clause) => [...range.clauses.flat(), ...clause]),
    checks: [...all.checks, "one of them is enough"],
    content: ["any", all.content],
  };
}

function hasRanges({ allow = [], deny = [] }: PolicyRoute): boolean {
  return allow.length + deny.length > 0;
}

/** Of auth policies, all of which must pass. */
export function authProtection(
  policy: PolicyDocument,
  route: PolicyRoute,
  ids: readonly string[] = [],
): Protection {
  return allOf(
    ids.map((id) => {
      const auth = own(policy.auths, id);
      const checks = describeAuth(explainAuth(auth, id, route));
      if (auth === undefined) return closed(`no policy ${id}`);
      if (auth.invalid !== undefined) return closed(auth.invalid);
      const { source: _, ...content } = auth;
      const kinds = Object.keys(content);
      return kinds.length === 0 ? OPEN : { clauses: kinds.map((kind) => [kind]), checks, content };
    }),
  );
}

/** Allowed ranges that contain every address restrict nothing. */
function rangeProtections({ allow = [], deny = [] }: PolicyRoute): readonly Protection[] {
  const allowed = allow.some((cidr) => cidr.endsWith("/0")) ? [] : allow;
  return [
    ...(allowed.length > 0 ? [ranges("source ranges", allowed)] : []),
    ...(deny.length > 0 ? [ranges("denied sources", deny)] : []),
  ];
}

function ranges(kind: string, cidrs: readonly string[]): Protection {
  return { clauses: [[kind]], checks: [`${kind} ${cidrs.join(", ")}`], content: [kind, cidrs] };
}
