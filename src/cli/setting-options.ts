import { Option } from "commander";
import { own } from "../support/json-object.js";
import {
  SETTINGS,
  SETTING_TASKS,
  type SettingName,
  type SettingRow,
  flagOf,
  variableOf,
} from "./settings-table.js";
import { UsageError } from "./terminal.js";

/** The flags of the settings table. In the help they follow the command's own, which would be lost among them. */
export function settingOptions(): readonly Option[] {
  return SETTING_TASKS.flatMap((task) =>
    SETTINGS.filter((row) => row.task === task).map((row) =>
      settingOption(row).helpGroup(`Settings: ${task}`),
    ),
  );
}

function settingOption(row: SettingRow): Option {
  const shown = `${row.description} (${variableOf(row.key)}, default ${showDefault(row)})`;
  const flag = flagOf(row.key);
  return row.kind === "switch"
    ? new Option(`${flag} [true|false]`, shown).preset(true)
    : new Option(`${flag} <${row.placeholder ?? row.choices?.join("|") ?? "VALUE"}>`, shown);
}

function showDefault(row: SettingRow): string {
  const value = Array.isArray(row.default) ? row.default.join(",") : String(row.default);
  return value === "" ? "none" : value;
}

const SWITCHES: ReadonlySet<string> = new Set(
  SETTINGS.filter(({ kind }) => kind === "switch").map(({ key }) => flagOf(key)),
);
/** What users write for on and off, right or wrong. */
const SWITCH_VALUE = /^(?:true|false|yes|no|on|off|0|1)$/i;

/** A switch may have a value, but the next word is often an argument of the command, as in `--proxy-protocol GET http://…`. */
export function withValues(words: readonly string[]): string[] {
  return words.map((word, i) => {
    const next = words[i + 1];
    const isAlone = next !== undefined && !SWITCH_VALUE.test(next);
    return SWITCHES.has(word) && isAlone ? `${word}=true` : word;
  });
}

/** What a cluster is asked for. The options file and variables may have it in any case, as a deployment's do. */
const SCOPE: readonly SettingName[] = [
  "namespaces",
  "secretNamespaces",
  "selector",
  "backendSelector",
];

/** For commands on files, where such a flag would have no effect. `flags`: given ones, by key. Throws UsageError. */
export function refuseScope(flags: Readonly<Record<string, unknown>>): void {
  const vain = SCOPE.find((key) => own(flags, key) !== undefined);
  if (vain === undefined) return;
  throw new UsageError(`${flagOf(vain)} limits what is read from a cluster: it needs --kubernetes`);
}
