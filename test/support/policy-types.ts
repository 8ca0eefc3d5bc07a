/** The schema of policy.json as types for the Lua code (https://luals.github.io/wiki/annotations/) and as tables for readers. */
import type { Schema } from "./policy-schema.js";

/** The text of a Lua file that declares every type of the schema. */
export function luaTypes({ definitions = {} }: Schema): string {
  return [
    "--- Types of policy.json, for editors and readers; made from src/model/policy.ts.",
    "-- luacheck: no max line length",
    "-- stylua: ignore start",
    "",
    ...Object.entries(definitions).map(([name, each]) => `${declaration(name, each)}\n`),
    "-- stylua: ignore end",
    "return {}",
    "",
  ].join("\n");
}

function declaration(name: string, schema: Schema): string {
  const comment = schema.description === undefined ? [] : [`--- ${inOneLine(schema.description)}`];
  const { properties } = schema;
  if (properties === undefined)
    return [...comment, `---@alias ${name} ${luaType(schema)}`].join("\n");
  const fields = Object.entries(properties).map(([key, field]) => {
    const optional = schema.required?.includes(key) === true ? "" : "?";
    const text = field.description === undefined ? "" : ` ${inOneLine(field.description)}`;
    return `---@field ${key}${optional} ${luaType(field)}${text}`;
  });
  return [...comment, `---@class ${name}`, ...fields].join("\n");
}

function luaType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace("#/definitions/", "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.enum?.map((value) => JSON.stringify(value)) ?? schema.anyOf?.map(luaType);
  if (choices !== undefined) return choices.join("|");
  if (schema.type === "array") return arrayType(schema);
  const { type, additionalProperties } = schema;
  if (type === undefined || additionalProperties === false)
    throw new Error(`a schema without a name or type: ${JSON.stringify(schema)}`);
  return additionalProperties === undefined
    ? type
    : `table<string, ${luaType(additionalProperties)}>`;
}

function arrayType({ items, additionalItems, maxItems }: Schema): string {
  if (items === undefined) throw new Error("an array without items");
  if (Array.isArray(items)) {
    const rest = additionalItems === undefined ? [] : [`...${luaType(additionalItems)}`];
    return `[${[...items.map(luaType), ...rest].join(", ")}]`;
  }
  const type = luaType(items as Schema);
  if (maxItems === 1) return `[${type}]`;
  return type.includes("|") ? `(${type})[]` : `${type}[]`;
}

/** Markdown: a table for each object, a line for each other type. */
export function typeTables({ definitions = {} }: Schema): string {
  return Object.entries(definitions)
    .map(([name, schema]) => `\n### ${name}\n\n${description(schema)}${body(schema)}`)
    .join("");
}

function description({ description: text }: Schema): string {
  return text === undefined ? "" : `${inOneLine(text)}\n\n`;
}

function body(schema: Schema): string {
  const { properties, required = [] } = schema;
  if (properties === undefined) return `\`${luaType(schema)}\`\n`;
  const rows = Object.entries(properties).map(([key, field]) => {
    const cells = [
      `\`${key}${required.includes(key) ? "" : "?"}\``,
      `\`${luaType(field)}\``,
      inOneLine(field.description ?? ""),
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  });
  return `| field | type | what it is |\n|---|---|---|\n${rows.join("")}`;
}

const inOneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ");
