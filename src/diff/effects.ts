import { isObject } from "../support/json-object.js";
import type { Outcome } from "./outcome.js";
import { isWeaker } from "./protection.js";

/**
 * What a change does to requests, the most important first. `authLost`: fewer kinds of checks guard them, or none. `authChanged`: the
 * checks differ otherwise. `added` and `removed`: they are served now, or no longer. `rerouted`: they go elsewhere. `refused`: another
 * error answers them. `settings`: everything else that is done with them.
 */
export const EFFECTS = [
  "authLost",
  "authChanged",
  "authGained",
  "removed",
  "added",
  "rerouted",
  "refused",
  "settings",
] as const;

export type Effect = (typeof EFFECTS)[number];

/** Of two outcomes that differ. */
export function effectsOf(before: Outcome, now: Outcome): readonly Effect[] {
  const isLost = reachesBackend(now) && isWeaker(before.protection, now.protection);
  const lost = isLost ? (["authLost"] as const) : [];
  const [wasServed, isServed] = [isServing(before), isServing(now)];
  if (wasServed && isServed) return [...lost, ...effectsOnServed(before, now, isLost)];
  if (wasServed) return ["removed"];
  return [...lost, isServed ? "added" : "refused"];
}

function effectsOnServed(before: Outcome, now: Outcome, isLost: boolean): readonly Effect[] {
  const isGained = isWeaker(now.protection, before.protection);
  const isOther = !isLost && !isGained && contentOf(before) !== contentOf(now);
  return [
    ...(isOther ? (["authChanged"] as const) : []),
    ...(isGained ? (["authGained"] as const) : []),
    ...(before.kind !== now.kind || before.to !== now.to ? (["rerouted"] as const) : []),
    ...(settingsOf(before) !== settingsOf(now) ? (["settings"] as const) : []),
  ];
}

function isServing({ kind }: Outcome): boolean {
  return kind !== "none" && kind !== "refused";
}

function reachesBackend({ kind }: Outcome): boolean {
  return kind === "forwarded" || kind === "passed";
}

function contentOf({ protection: { clauses, content } }: Outcome): string {
  return JSON.stringify([clauses, content]);
}

function settingsOf({ settings }: Outcome): string {
  return JSON.stringify(settings);
}

/** Names of the parts in which auth and settings differ, such as `basic.file` and `timeouts`. */
export function changedNames(before: Outcome, now: Outcome): readonly string[] {
  if (!isServing(before) || !isServing(now)) return [];
  return [
    ...namesOf(before.protection.content, now.protection.content, 2),
    ...namesOf(before.settings, now.settings, 1),
  ];
}

/** Fields that differ, down to a depth; none if one of the values is no object. */
function namesOf(before: unknown, now: unknown, depth: number): readonly string[] {
  if (!isObject(before) || !isObject(now)) return [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.flatMap((name) => {
    // eslint-disable-next-line albc/own-lookups -- names of their own
    const [old, current] = [before[name], now[name]];
    if (JSON.stringify(old) === JSON.stringify(current)) return [];
    const inner = depth > 1 ? namesOf(old, current, depth - 1) : [];
    return inner.length === 0 ? [name] : inner.map((each) => `${name}.${each}`);
  });
}
