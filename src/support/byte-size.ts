import type { Result } from "./result.js";
import { ok, problem } from "./result.js";
import { own } from "./own.js";

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** A size as the options have it, such as `512k`, `8m` or `1g`, in bytes. */
export function parseByteSize(text: string): Result<number> {
  const [, count, unit = ""] = /^(\d{1,15})([kmg]?)$/i.exec(text) ?? [];
  const bytes = own(UNITS, unit.toLowerCase());
  return count === undefined || bytes === undefined
    ? problem("must be a size such as 512k, 8m or 1g")
    : ok(Number(count) * bytes);
}
