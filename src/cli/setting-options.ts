import { Option } from "commander";
import { SETTINGS, SETTING_TASKS, type SettingRow, flagOf, variableOf } from "./settings-table.js";

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
