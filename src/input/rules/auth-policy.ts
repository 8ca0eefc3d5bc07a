/** What an API server checks in an AuthPolicy beyond its schema: the CEL rules of its targets (api/auth.ts). */
import { AUTH_TARGETS, type AuthPolicy } from "../../api/auth.js";
import { GATEWAY_GROUP } from "../../api/wire.js";
import { didYouMean } from "../../support/did-you-mean.js";
import { type Reports, checkUnique, invalid, shown } from "./names.js";

export function* checkAuthPolicy({ spec }: AuthPolicy): Reports {
  const { targetRefs = [] } = spec;
  const field = ["spec", "targetRefs"];
  for (const [i, { group, kind }] of targetRefs.entries()) {
    if (group !== GATEWAY_GROUP) {
      const message = `the group of a target must be ${GATEWAY_GROUP}, but is ${shown(group)}`;
      yield invalid([...field, i, "group"], message, `write group: ${GATEWAY_GROUP}`);
    }
    if (!AUTH_TARGETS.some((known) => known === kind)) {
      const near = didYouMean(kind, AUTH_TARGETS);
      yield invalid(
        [...field, i, "kind"],
        `a target is a ${AUTH_TARGETS.join(", ")}, but not a ${shown(kind)}`,
        near === undefined ? undefined : `did you mean ${near}?`,
      );
    }
  }
  const keys = targetRefs.map(({ group, kind, name, sectionName = "" }) =>
    [group, kind, name, sectionName].join(" ").trim(),
  );
  yield* checkUnique(keys, field, "target");
}
