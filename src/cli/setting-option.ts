import { Option } from "commander";
import { type SettingRow, flagOf, variableOf } from "./settings-table.js";

/** The flag of a row of the settings table. */
export function settingOption(row: SettingRow): Option {
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
