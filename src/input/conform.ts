/** What an API server does with a value before it checks it: drops nulls of known fields, notices unknown fields. */
import type { JsonSchema } from "../api/schemas/schema.js";
import type { FieldPath } from "../diagnostics/field-path.js";
import { isRecord } from "./record.js";

export interface UnknownField {
  readonly field: FieldPath;
  /** Names that the place knows. */
  readonly known: readonly string[];
  /** The place keeps fields that it does not know, on purpose. */
  readonly preserved: boolean;
}

export interface Conformed {
  /** The value itself where nothing had to be dropped. */
  readonly value: unknown;
  readonly unknown: readonly UnknownField[];
}

export function conform(schema: JsonSchema, value: unknown): Conformed {
  const unknown: UnknownField[] = [];
  return { value: visit(schema, value, [], unknown), unknown };
}

function visit(
  schema: JsonSchema,
  value: unknown,
  field: FieldPath,
  unknown: UnknownField[],
): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? value
      : mapItems(value, (item, i) => visit(items, item, [...field, i], unknown));
  }
  if (!isRecord(value)) return value;
  const { properties, additionalProperties } = schema;
  if (properties !== undefined) return visitFields(schema, value, field, unknown);
  if (additionalProperties === undefined) return value;
  return mapValues(value, (item, key) =>
    visit(additionalProperties, item, [...field, key], unknown),
  );
}

function visitFields(
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  field: FieldPath,
  unknown: UnknownField[],
): unknown {
  const properties = schema.properties ?? {};
  return mapValues(value, (item, key) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known !== undefined) {
      return item === null ? undefined : visit(known, item, [...field, key], unknown);
    }
    const preserved = schema["x-kubernetes-preserve-unknown-fields"] === true;
    unknown.push({ field: [...field, key], known: Object.keys(properties), preserved });
    return item;
  });
}

/** Copies only when something changed: most objects pass as they are. */
function mapItems(
  list: readonly unknown[],
  change: (item: unknown, index: number) => unknown,
): readonly unknown[] {
  const changed = list.map(change);
  return changed.every((item, i) => item === list[i]) ? list : changed;
}

/** As `mapItems`; values that become undefined are dropped. */
function mapValues(
  record: Readonly<Record<string, unknown>>,
  change: (value: unknown, key: string) => unknown,
): Readonly<Record<string, unknown>> {
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const [key, value] of Object.entries(record)) {
    const next = change(value, key);
    if (next !== value) changed = true;
    if (next !== undefined) entries.push([key, next]);
  }
  return changed ? Object.fromEntries(entries) : record;
}
