/**
 * An AuthPolicy that is broken must close what it protects. As long as it can be told what that is, the policy stays and its spec
 * says that it is broken; else it is refused.
 */
import type { FieldPath } from "../diagnostics/field-path.js";
import { didYouMean } from "../support/did-you-mean.js";
import { authChecker, brokenAuth, startsWith } from "./auth-shape.js";
import type { AuthShape } from "./auth-shape.js";
import type { UnknownField } from "./conform.js";
import type { Finding } from "./finding.js";
import { isObject } from "../support/json-object.js";
import { own } from "../support/own.js";

type Fields = Readonly<Record<string, unknown>>;

const SPEC: FieldPath = ["spec"];
const TARGETS = "targetRefs";

const checkSpec = authChecker("spec");

export function closeBrokenPolicy(
  given: Fields,
  value: Fields,
  unknown: readonly UnknownField[],
): AuthShape {
  const { [TARGETS]: _given, ...auth } = recordAt(given, "spec");
  const misspelt = unknown.filter(isMisspeltTarget);
  const findings = checkSpec(auth, []).filter(
    ({ field }) => !misspelt.some((stray) => startsWith(field, stray.field)),
  );
  const [first] = findings;
  const targets = recordAt(value, "spec")[TARGETS];
  const broken = {
    ...value,
    spec: { ...(targets === undefined ? {} : { [TARGETS]: targets }), invalid: first?.message },
  };
  return {
    value: first === undefined ? value : broken,
    findings,
    refusals: misspelt.map(misspeltTarget),
    unknown: unknown.filter((each) => !isAuthField(each.field) && !misspelt.includes(each)),
  };
}

/** What stands there tells what the policy is for; ignoring it would leave that open. */
export function isMisspeltTarget({ field }: UnknownField): boolean {
  const name = String(field.at(-1));
  const isMeant =
    /^targets?|refs$|references?$/i.test(name) ||
    didYouMean(name.toLowerCase(), [TARGETS.toLowerCase()]) !== undefined;
  return field[0] === "spec" && isMeant;
}

function misspeltTarget({ field }: UnknownField): Finding {
  const name = String(field.at(-1));
  return brokenAuth(field, `spec has no field ${name}`, `did you mean ${TARGETS}?`);
}

function isAuthField(field: FieldPath): boolean {
  return startsWith(field, SPEC) && field[1] !== TARGETS;
}

function recordAt(value: Fields, name: string): Fields {
  const field = own(value, name);
  return isObject(field) ? field : {};
}
