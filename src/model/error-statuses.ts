import { type Result, ok, problem } from "../support/result.js";
import { textList } from "../support/text.js";

/** Statuses that pages may replace. */
export const MIN_ERROR_STATUS = 400;
export const MAX_ERROR_STATUS = 599;

/** A list such as `404, 503`: in ascending order, each once. */
export function parseErrorStatuses(text: string): Result<readonly number[]> {
  const items = textList(text);
  const wrong = items.find((item) => !isErrorStatus(item));
  if (wrong !== undefined) {
    return problem(
      `${JSON.stringify(wrong)} is not a status from ${String(MIN_ERROR_STATUS)} to ${String(MAX_ERROR_STATUS)}`,
    );
  }
  if (items.length === 0) return problem("it names no status");
  return ok([...new Set(items.map(Number))].sort((a, b) => a - b));
}

function isErrorStatus(text: string): boolean {
  const status = /^\d{3}$/.test(text) ? Number(text) : 0;
  return status >= MIN_ERROR_STATUS && status <= MAX_ERROR_STATUS;
}
