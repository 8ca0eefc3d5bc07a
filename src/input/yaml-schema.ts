/**
 * How plain YAML scalars become values: as kubectl reads them (YAML 1.1 booleans and octals, no base-60 numbers,
 * timestamps stay text), so that a manifest means here what it means in a cluster.
 */
import { boolYaml11Tag, CORE_SCHEMA, defineScalarTag, mergeTag, NOT_RESOLVED } from "js-yaml";
import { own } from "../support/own.js";

const DECIMAL = /^[-+]?(?:0|[1-9][0-9_]*)$/;
const PREFIXED = /^([-+]?)0([box]?)([0-9a-fA-F_]+)$/;
const RADIX: Readonly<Record<string, number>> = { "": 8, b: 2, o: 8, x: 16 };
const DIGITS: Readonly<Record<number, RegExp>> = {
  2: /^[01]+$/,
  8: /^[0-7]+$/,
  16: /^[0-9a-fA-F]+$/,
};

/** An integer as Go's strconv.ParseInt(text, 0, 64) reads it once underscores are gone. */
function integer(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text.replaceAll("_", ""));
  const match = PREFIXED.exec(text);
  if (match === null) return undefined;
  const [, sign = "", prefix = "", rest = ""] = match;
  const radix = own(RADIX, prefix) ?? 10;
  const digits = rest.replaceAll("_", "");
  if (DIGITS[radix]?.test(digits) !== true) return undefined;
  return (sign === "-" ? -1 : 1) * parseInt(digits, radix);
}

const intTag = defineScalarTag<number>("tag:yaml.org,2002:int", {
  implicit: true,
  implicitFirstChars: Array.from("-+0123456789"),
  resolve: (text) => {
    const value = integer(text);
    return value === undefined || !Number.isFinite(value) ? NOT_RESOLVED : value;
  },
  identify: (value) => Number.isInteger(value),
});

export const MANIFEST_SCHEMA = CORE_SCHEMA.withTags(boolYaml11Tag, intTag, mergeTag);
