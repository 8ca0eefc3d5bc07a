export function minimum(values: readonly number[]): number {
  return Math.min(...values);
}

export function maximum(values: readonly number[]): number {
  // Not spread: an argument list of a hundred thousand is one too long for the stack.
  return values.reduce((highest, value) => Math.max(highest, value), -Infinity);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** The smallest value that `share` of the values (0 to 1) do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
