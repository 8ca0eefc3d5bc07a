/** What keeps an apiVersion and a kind from saying which kind an object is of. */
import type { KindName } from "../api/kinds.js";
import type { FieldPath } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../support/did-you-mean.js";
import { own } from "../support/json-object.js";
import { shown } from "./rules/finding.js";
import type { Finding } from "./rules/finding.js";
import { apiVersions, lookUpKindName } from "./kind-lookup.js";
import type { KindLookup } from "./kind-lookup.js";
import type { KindTable } from "./kind-table.js";
import { isClosable } from "./salvage.js";

export function otherVersion(kind: KindName, given: string, table: KindTable): Finding {
  const [best = "", ...others] = apiVersions(table, kind);
  const read = [best, ...others].join(" and ");
  return {
    code: "OBJECT_VERSION",
    field: ["apiVersion"],
    message: `${kind} of ${given} is not read; ${read} ${others.length === 0 ? "is" : "are"}`,
    hint: `convert the object to ${best}`,
  };
}

export function misspeltHeader(
  { kind, field }: Extract<KindLookup, { found: "misspelt" }>,
  value: Readonly<Record<string, unknown>>,
  table: KindTable,
): Finding {
  const given = shown(value[field]);
  if (field === "kind") return misspelt(kind, field, `there is no kind ${given}`, kind);
  const [best = ""] = apiVersions(table, kind);
  return misspelt(kind, field, `${given} has no kind ${kind}`, best);
}

/** Of an object in a document that has items as a List has. */
export function misspeltList(kind: KindName, given: string): Finding {
  return misspelt(
    kind,
    "kind",
    `its list is of the kind ${shown(given)}, which does not exist`,
    "List",
  );
}

function misspelt(kind: KindName, field: string, problem: string, meant: string): Finding {
  const closes = "; what the object is for answers 503, since it may protect it";
  const message = isClosable(kind) ? problem + closes : problem;
  return { code: "KIND_MISSPELT", field: [field], message, hint: `did you mean ${meant}?` };
}

export function headerProblem(
  value: Readonly<Record<string, unknown>>,
  table: KindTable,
): Finding | undefined {
  const field = ["apiVersion", "kind"].find((name) => {
    const text = own(value, name);
    return typeof text !== "string" || text === "";
  });
  if (field === undefined) return undefined;
  const given = own(value, field);
  if (given !== undefined && given !== null && given !== "") {
    return malformed([field], `${field} must be a string, but is ${shown(given)}`);
  }
  const near = didYouMean(
    field,
    Object.keys(value).filter((key) => key !== field),
  );
  if (near !== undefined) {
    return malformed([near], `a Kubernetes object needs ${field}`, `rename ${near} to ${field}`);
  }
  const { kind } = value;
  const known = typeof kind === "string" ? lookUpKindName(table, kind) : undefined;
  const hint =
    known === undefined ? undefined : `add apiVersion: ${apiVersions(table, known)[0] ?? ""}`;
  return malformed([], `a Kubernetes object needs ${field}`, hint);
}

export function malformed(field: FieldPath, message: string, hint?: string): Finding {
  return {
    code: "OBJECT_MALFORMED",
    field,
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}
