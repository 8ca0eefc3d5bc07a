/** Reads the words of the command line that belong to one option or argument. All throw UsageError. */
import { resolve } from "node:path";
import { DIAGNOSTIC_CATALOG } from "../diagnostics/catalog.js";
import type { Effect } from "../diff/effects.js";
import type { ReloadWay } from "../output/reloader.js";
import { own } from "../support/json-object.js";
import { textList } from "../support/text.js";
import { UsageError } from "./terminal.js";

/** Method and URL of `explain`; without a method it is GET. */
export function requestOf(
  first: string | undefined,
  second: string | undefined,
): readonly [method: string, url: string] {
  if (first !== undefined && second !== undefined) return [first, second];
  if (first !== undefined && /^https?:|\//i.test(first)) return ["GET", first];
  throw new UsageError("explain needs the URL of a request, such as `https://a.example/path`");
}

export function expectedStatus(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^[1-5]\d\d$/.test(given)) return Number(given);
  throw new UsageError(`--expect must be a status such as 200, but is ${JSON.stringify(given)}`);
}

export function collectCode(value: string, previous: readonly string[]): readonly string[] {
  if (Object.hasOwn(DIAGNOSTIC_CATALOG, value)) return [...previous, value];
  throw new UsageError(`--ignore: there is no code ${value}; docs/diagnostics.md lists them`);
}

/** Words of `diff --fail-on`, and the effects that they name. */
const DIFF_FAILURES: Readonly<Record<string, Effect>> = {
  lost: "authLost",
  "auth-changed": "authChanged",
  unserved: "removed",
  rerouted: "rerouted",
};

export function diffFailures(given: string): readonly Effect[] {
  return textList(given).map((word) => {
    const effect = own(DIFF_FAILURES, word);
    if (effect !== undefined) return effect;
    const known = Object.keys(DIFF_FAILURES).join(", ");
    throw new UsageError(
      `--fail-on must be a list of some of ${known}, but is ${JSON.stringify(given)}`,
    );
  });
}

export function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

export function format(options: Readonly<Record<string, unknown>>): "text" | "json" {
  return options["format"] === "json" ? "json" : "text";
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function reloadWay(given: string | undefined): ReloadWay | undefined {
  if (given === undefined) return undefined;
  const [, kind, value = ""] = /^(control|command):(.+)$/s.exec(given) ?? [];
  if (kind === "control") return { kind, folder: resolve(value) };
  if (kind === "command") return { kind, command: value };
  throw new UsageError("--reload must be control:FOLDER or command:COMMAND");
}
