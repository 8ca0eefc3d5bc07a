/** What an API server checks in HTTPRoutes and GRPCRoutes alike. */
import type {
  ParentReference,
  RouteBackendRef,
  RouteFilter,
  SessionPersistenceSpec,
} from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/field-path.js";
import { invalid, missing } from "../finding.js";
import type { Findings } from "../finding.js";
import { checkBackendReference } from "./backend-reference.js";
import { checkFilters } from "./route-filters.js";
import type { FilterTypes } from "./route-filters.js";
import { checkUnique } from "./unique.js";

const MAX_MATCHES = 128;

interface Rule {
  readonly name?: string;
  readonly matches?: readonly unknown[];
  readonly filters?: readonly RouteFilter[];
  readonly backendRefs?: readonly RouteBackendRef[];
  readonly sessionPersistence?: SessionPersistenceSpec;
}

interface Spec {
  readonly parentRefs?: readonly ParentReference[];
  readonly rules?: readonly Rule[];
}

/** `filters` are the types of filters that the kind knows. */
export function* checkRoute({ parentRefs = [], rules = [] }: Spec, filters: FilterTypes): Findings {
  yield* checkParents(parentRefs, ["spec", "parentRefs"]);
  const field = ["spec", "rules"];
  yield* checkUnique(
    rules.map(({ name }) => name),
    field,
    "rule",
    ["name"],
  );
  const matches = rules.reduce((sum, rule) => sum + (rule.matches?.length ?? 0), 0);
  if (matches > MAX_MATCHES) {
    yield invalid(
      field,
      `the rules have ${matches} matches; all rules together may have ${MAX_MATCHES}`,
      "move some rules to another route",
    );
  }
  for (const [i, rule] of rules.entries()) yield* checkRule(rule, filters, [...field, i]);
}

/** Two references to one parent must each say which part of it they mean. */
export function* checkParents(parents: readonly ParentReference[], field: FieldPath): Findings {
  for (const [i, parent] of parents.entries()) {
    const before = parents.slice(0, i).filter((other) => sameParent(parent, other));
    if (before.some((other) => sectionOf(other) === sectionOf(parent))) {
      yield invalid(
        [...field, i],
        `the parent ${parent.name} stands twice with the same sectionName and port`,
        "remove one of the two, or name another listener by sectionName",
      );
    } else if (before.some((other) => !samePrecision(parent, other))) {
      yield invalid(
        [...field, i],
        `of several references to the parent ${parent.name} either all or none need a sectionName, and likewise a port`,
      );
    }
  }
}

function sameParent(a: ParentReference, b: ParentReference): boolean {
  return (
    a.group === b.group && a.kind === b.kind && a.name === b.name && a.namespace === b.namespace
  );
}

function sectionOf({ sectionName = "", port = 0 }: ParentReference): string {
  return `${port} ${sectionName}`;
}

function samePrecision(a: ParentReference, b: ParentReference): boolean {
  return (
    (a.sectionName === undefined) === (b.sectionName === undefined) &&
    (a.port === undefined) === (b.port === undefined)
  );
}

function* checkRule(rule: Rule, types: FilterTypes, field: FieldPath): Findings {
  const { filters = [], backendRefs = [], sessionPersistence } = rule;
  yield* checkFilters(filters, types, [...field, "filters"]);
  for (const [i, backend] of backendRefs.entries()) {
    const place = [...field, "backendRefs", i];
    yield* checkBackendReference(backend, place);
    yield* checkFilters(backend.filters ?? [], types, [...place, "filters"]);
  }
  if (sessionPersistence !== undefined) {
    yield* checkSession(sessionPersistence, [...field, "sessionPersistence"]);
  }
}

function* checkSession(session: SessionPersistenceSpec, field: FieldPath): Findings {
  const { type = "Cookie", cookie, cookieConfig } = session;
  const lifetime = (cookie ?? cookieConfig)?.lifetimeType;
  if (lifetime === "Permanent" && session.absoluteTimeout === undefined) {
    yield missing(
      [...field, "absoluteTimeout"],
      "a cookie with lifetimeType Permanent needs an absoluteTimeout",
    );
  }
  if (type !== "Cookie" && type !== "Header") return;
  const [own, other] = type === "Cookie" ? COOKIE_FIRST : HEADER_FIRST;
  if (session[own] === undefined && !isOlder(session)) {
    yield missing([...field, own], `session persistence of type ${type} needs the field ${own}`);
  }
  if (session[other] !== undefined) {
    yield invalid(
      [...field, other],
      `session persistence of type ${type} must not have the field ${other}`,
    );
  }
}

/** The field that a type needs, and the one that it must not have. */
const COOKIE_FIRST = ["cookie", "header"] as const;
const HEADER_FIRST = ["header", "cookie"] as const;

/** Written with the names of v1.6, which need neither `cookie` nor `header`. */
function isOlder({ sessionName, cookieConfig }: SessionPersistenceSpec): boolean {
  return sessionName !== undefined || cookieConfig !== undefined;
}
