/** JSON Schema of the policy → LuaLS annotations (https://luals.github.io/wiki/annotations/). */

/** What of JSON Schema the policy's uses. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "integer" | "boolean";
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number)[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Schema;
  readonly prefixItems?: readonly Schema[];
  readonly items?: false | Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly title?: string;
}

/** The text of a Lua file that declares every type of the schema. */
export function luaTypes(schema: Schema): string {
  const types = Object.entries(schema.$defs ?? {}).map(([name, def]) => declaration(name, def));
  return [
    "--- Types of policy.json, for editors and readers; made from src/render/policy/policy.schema.json.",
    "-- luacheck: no max line length",
    "-- stylua: ignore start",
    "",
    ...[declaration(schema.title ?? "", schema), ...types].map((text) => `${text}\n`),
    "-- stylua: ignore end",
    "return {}",
    "",
  ].join("\n");
}

function declaration(name: string, schema: Schema): string {
  const comment = schema.description === undefined ? [] : [`--- ${schema.description}`];
  const { properties } = schema;
  if (properties === undefined)
    return [...comment, `---@alias ${name} ${luaType(schema)}`].join("\n");
  const fields = Object.entries(properties).map(([key, field]) => {
    const optional = schema.required?.includes(key) === true ? "" : "?";
    const text = field.description === undefined ? "" : ` ${field.description}`;
    return `---@field ${key}${optional} ${luaType(field)}${text}`;
  });
  return [...comment, `---@class ${name}`, ...fields].join("\n");
}

function luaType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace("#/$defs/", "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join("|");
  if (schema.oneOf !== undefined) return schema.oneOf.map(luaType).join("|");
  switch (schema.type) {
    case "array":
      return arrayType(schema);
    case "object":
      return recordType(schema);
    case "string":
    case "integer":
    case "boolean":
      return schema.type;
    case undefined:
      break;
  }
  throw new Error(`a schema without a type: ${JSON.stringify(schema)}`);
}

function arrayType({ prefixItems, items }: Schema): string {
  if (items === undefined) throw new Error("an array without items");
  if (prefixItems === undefined) return items === false ? "[]" : `${inBrackets(items)}[]`;
  const rest = items === false ? [] : [`...${luaType(items)}`];
  return `[${[...prefixItems.map(luaType), ...rest].join(", ")}]`;
}

function inBrackets(schema: Schema): string {
  const type = luaType(schema);
  return type.includes("|") ? `(${type})` : type;
}

function recordType({ additionalProperties }: Schema): string {
  if (additionalProperties === undefined || additionalProperties === false) {
    throw new Error("an object without a name");
  }
  return `table<string, ${luaType(additionalProperties)}>`;
}
