/** Statuses as short facts: `<Condition>=<status>/<reason>`, `attachedRoutes=2`, by what they are about. */
import type { ObjectStatus } from "../../src/status/object-status.js";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly observedGeneration?: number;
}

interface Part {
  readonly name?: string;
  readonly attachedRoutes?: number;
  readonly supportedKinds?: readonly { readonly kind: string }[];
  readonly conditions?: readonly Condition[];
  readonly parentRef?: { readonly name: string };
  readonly ancestorRef?: { readonly name: string };
}

/** What is expected: facts, blanks between them, by subject; those without a reason hold for any. */
export type ExpectedFacts = Readonly<Record<string, string>>;

/** Facts by subject. */
export type StatusFacts = ReadonlyMap<string, readonly string[]>;

/**
 * Subjects: `Gateway edge`, `Gateway edge#http` (a listener), `HTTPRoute web@edge` (for a parent), `BackendTLSPolicy web@edge`
 * (for an ancestor). Throws when a condition is not of generation 1.
 */
export function statusFacts(statuses: readonly ObjectStatus[]): StatusFacts {
  const facts = new Map<string, string[]>();
  const add = (subject: string, part: Part): void => {
    facts.set(subject, [...(facts.get(subject) ?? []), ...factsOf(subject, part)]);
  };
  for (const { kind, metadata, status } of statuses) {
    const subject = `${kind} ${metadata.name}`;
    if (status["conditions"] !== undefined) add(subject, status);
    for (const listener of partsOf(status, "listeners")) {
      add(`${subject}#${listener.name ?? ""}`, listener);
    }
    for (const parent of partsOf(status, "parents")) {
      add(`${subject}@${parent.parentRef?.name ?? ""}`, parent);
    }
    for (const ancestor of partsOf(status, "ancestors")) {
      add(`${subject}@${ancestor.ancestorRef?.name ?? ""}`, ancestor);
    }
  }
  return facts;
}

function partsOf(status: ObjectStatus["status"], field: string): readonly Part[] {
  return (status[field] ?? []) as readonly Part[];
}

function factsOf(subject: string, part: Part): readonly string[] {
  const { conditions = [], attachedRoutes, supportedKinds } = part;
  const stale = conditions.find(({ observedGeneration }) => observedGeneration !== 1);
  if (stale !== undefined) throw new Error(`${subject}: ${stale.type} is of no generation`);
  return [
    ...conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`),
    ...(attachedRoutes === undefined ? [] : [`attachedRoutes=${String(attachedRoutes)}`]),
    ...(supportedKinds === undefined
      ? []
      : [
          `supportedKinds=${supportedKinds
            .map(({ kind }) => kind)
            .sort()
            .join()}`,
        ]),
  ];
}
