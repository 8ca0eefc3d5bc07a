export interface Estimate {
  readonly value: number;
  /** Standard error, in the unit of the value. */
  readonly error: number;
}

/** Share of the values: in the others the machine was in a slow period or busy with something else. */
const LOW = 0.4;

/**
 * Mean of the lowest 40 % of the values. Its error is the jackknife's (Efron, "The Jackknife, the Bootstrap and Other
 * Resampling Plans", 1982), which includes that other slices might have been the lowest ones.
 */
export function lowMean(values: readonly number[]): Estimate {
  return jackknife(values, (some) => {
    const sorted = [...some].sort((a, b) => a - b);
    return average(sorted.slice(0, Math.ceil(LOW * sorted.length)));
  });
}

/** Of all values. */
export function mean(values: readonly number[]): Estimate {
  return jackknife(values, average);
}

/** The estimates are independent. */
export function ratio(of: Estimate, to: Estimate): Estimate {
  const value = of.value / to.value;
  return { value, error: value * Math.hypot(of.error / of.value, to.error / to.value) };
}

/** The estimates are independent. */
export function difference(of: Estimate, to: Estimate): Estimate {
  return { value: of.value - to.value, error: Math.hypot(of.error, to.error) };
}

/** What the figure would be without each of the values in turn shows how far it is to be trusted. */
function jackknife(
  values: readonly number[],
  figure: (values: readonly number[]) => number,
): Estimate {
  const without = values.map((_, left) => figure(values.filter((__, i) => i !== left)));
  const center = average(without);
  const spread = average(without.map((value) => (value - center) ** 2));
  return { value: figure(values), error: Math.sqrt((values.length - 1) * spread) };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
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
