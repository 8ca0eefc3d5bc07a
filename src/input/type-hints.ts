/** The commonest slips of YAML writers, where a value is of another type than it should be. */
import type { JsonSchema } from "../api/schemas/schema.js";

const REMOVE_QUOTES = "remove the quotes";

/** Advice, if the slip is plain; `mayShow` says whether it may repeat the value. */
export function typeHint(
  { type }: JsonSchema,
  value: unknown,
  mayShow: boolean,
): string | undefined {
  if (value === null) return "give it a value, or remove it";
  if (type === "string") return textHint(value, mayShow);
  if (type === "array") return "write it as a list, each item after '- '";
  if (typeof value !== "string") return undefined;
  if (type === "integer") return /^-?\d+$/.test(value) ? REMOVE_QUOTES : undefined;
  if (type === "boolean") return /^(true|false)$/i.test(value) ? REMOVE_QUOTES : undefined;
  return undefined;
}

function textHint(value: unknown, mayShow: boolean): string | undefined {
  if (typeof value === "number") {
    return mayShow ? `put the value in quotes: "${value}"` : "put the value in quotes";
  }
  return typeof value === "boolean"
    ? "put the value in quotes; YAML reads on, off, yes, no, y and n as true and false"
    : undefined;
}
