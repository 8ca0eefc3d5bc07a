import { difference, lowMean, mean, ratio } from "../../e2e/bench/statistics.js";

/** Values of a normal distribution, the same in each run (Park and Miller's generator, Box and Muller's method). */
function* normal(center: number, deviation: number, seed = 1): Generator<number, never> {
  let state = seed;
  const uniform = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  for (;;) {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    yield center + deviation * radius * Math.cos(2 * Math.PI * uniform());
  }
}

function take(values: Generator<number, never>, count: number): number[] {
  return Array.from({ length: count }, () => values.next().value);
}

test("the low mean is the mean of the lowest 40 %", () => {
  expect(lowMean([9, 3, 8, 1, 7, 2, 6, 4, 5, 10]).value).toBe(2.5);
  expect(lowMean([5]).value).toBe(5);
});

test("slow slices do not change the low mean, as long as there are others", () => {
  const fast = [14, 14.1, 14.2, 14.3, 14.4];
  const { value, error } = lowMean([...fast, 16.8, 17, 17, 17.1, 17.2]);
  expect(value).toBeCloseTo(14.15);
  expect(error).toBeLessThan(0.2);
});

test("if the low mean contains slow slices, its error shows it", () => {
  const { error } = lowMean([14, 14, 14, 17, 17, 17, 17, 17, 17, 17]);
  expect(error).toBeGreaterThan(0.5);
});

test("the error of a mean is the textbook's", () => {
  // Deviations -2, -1, 0, 1, 2: the variance is 10 / 4, that of the mean 10 / 4 / 5.
  const { value, error } = mean([1, 2, 3, 4, 5]);
  expect(value).toBe(3);
  expect(error).toBeCloseTo(Math.SQRT1_2, 10);
});

test("the error of a low mean is how much it varies from run to run", () => {
  const values = normal(14, 0.5);
  const runs = Array.from({ length: 1000 }, () => lowMean(take(values, 24)));
  const center = mean(runs.map(({ value }) => value)).value;
  const spread = Math.sqrt(mean(runs.map(({ value }) => (value - center) ** 2)).value);
  const told = mean(runs.map(({ error }) => error)).value;
  expect(told / spread).toBeGreaterThan(0.85);
  expect(told / spread).toBeLessThan(1.25);
});

test("the error of a ratio is how much the ratio varies", () => {
  const [above, below] = [normal(16, 0.4), normal(14, 0.3, 2)];
  const ratios = Array.from({ length: 2000 }, () => above.next().value / below.next().value);
  const center = mean(ratios).value;
  const spread = Math.sqrt(mean(ratios.map((value) => (value - center) ** 2)).value);
  const told = ratio({ value: 16, error: 0.4 }, { value: 14, error: 0.3 });
  expect(told.value).toBeCloseTo(16 / 14, 10);
  expect(told.error / spread).toBeGreaterThan(0.9);
  expect(told.error / spread).toBeLessThan(1.1);
});

test("errors of a difference add up as squares", () => {
  const found = difference({ value: 1.2, error: 0.03 }, { value: 1.1, error: 0.04 });
  expect(found.value).toBeCloseTo(0.1, 10);
  expect(found.error).toBeCloseTo(0.05, 10);
});
