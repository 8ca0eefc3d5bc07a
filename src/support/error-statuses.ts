import { type Result, ok, problem } from "./result.js";
import { textList } from "./text.js";

/** Statuses that pages may replace. */
export const MIN_ERROR_STATUS = 400;
export const MAX_ERROR_STATUS = 599;

/** Where a client has left, there is none to answer; nginx refuses 499 in `error_page`. */
const CLIENT_LEFT = 499;

export function isErrorStatus(status: number): boolean {
  return status >= MIN_ERROR_STATUS && status <= MAX_ERROR_STATUS && status !== CLIENT_LEFT;
}

/** A list such as `404, 503`: in ascending order, each once. */
export function parseErrorStatuses(text: string): Result<readonly number[]> {
  const items = textList(text);
  const wrong = items.find((item) => !/^\d{3}$/.test(item) || !isErrorStatus(Number(item)));
  if (wrong !== undefined) {
    return problem(
      `${JSON.stringify(wrong)} is not a status from ${String(MIN_ERROR_STATUS)} to ${String(MAX_ERROR_STATUS)} that clients get`,
    );
  }
  if (items.length === 0) return problem("it names no status");
  return ok([...new Set(items.map(Number))].sort((a, b) => a - b));
}
