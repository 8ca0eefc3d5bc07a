/** Figures of one measurement over its rounds. */
import type { Measurement, Sample } from "./rounds.js";

export function cpuOf(
  measurement: Measurement,
  figure: (values: readonly number[]) => number,
): number {
  return figure(column(measurement, "cpu"));
}

export function column(measurement: Measurement, key: keyof Sample): number[] {
  return measurement.samples.map((sample) => sample[key]);
}
