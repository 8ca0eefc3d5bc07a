import { ReloadShares } from "../../../src/controller/reload-shares.js";

const DRAIN = 240_000;
const MOST = 5;
const SECOND = 1000;

/** An nginx whose old workers drain as long as they may, and namespaces that change something that needs a reload. */
class Simulation {
  now = 0;
  readonly shares = new ReloadShares(DRAIN, () => this.now);
  /** Of old generations: when they began to drain. */
  #draining: { readonly generation: number; readonly at: number }[] = [];
  #generation = 1;
  /** When each namespace caused a reload. */
  readonly reloads: (readonly [at: number, namespaces: readonly string[]])[] = [];
  /** Milliseconds for which generations drained that were ended. */
  readonly lifetimes: number[] = [];
  most = 0;

  /** One turn, in which these namespaces have changes. */
  change(...namespaces: readonly string[]): void {
    this.#draining = this.#draining.filter(({ at }) => {
      const isOver = this.now - at >= DRAIN;
      if (isOver) this.lifetimes.push(this.now - at);
      return !isOver;
    });
    const draining = {
      generations: this.#draining.map(({ generation }) => generation),
      most: MOST,
    };
    const due = namespaces.filter((each) => this.shares.wait(each, "prompt", draining) === 0);
    if (due.length === 0) return;
    this.shares.reloaded(this.#generation, { prompt: due, patient: [] }, draining);
    while (this.#draining.length >= MOST) {
      const ended = this.#draining.shift();
      if (ended) this.lifetimes.push(this.now - ended.at);
    }
    this.#draining.push({ generation: this.#generation, at: this.now });
    this.most = Math.max(this.most, this.#draining.length + 1);
    this.#generation += 1;
    this.reloads.push([this.now, due]);
  }

  /** Seconds at which the namespace caused a reload. */
  of(namespace: string): readonly number[] {
    return this.reloads.flatMap(([at, due]) => (due.includes(namespace) ? at / SECOND : []));
  }
}

test("a namespace that changes every second reloads three times at once, and then once a minute", () => {
  const simulation = new Simulation();
  for (; simulation.now < 300_000; simulation.now += SECOND) simulation.change("evil");
  expect(simulation.of("evil").slice(0, 5)).toEqual([0, 1, 2, 62, 122]);
  expect(Math.min(...simulation.lifetimes)).toBeGreaterThanOrEqual(140_000);
});

test.each([2, 3, 5])("%d namespaces that take turns end no workers before a minute", (count) => {
  const simulation = new Simulation();
  for (let second = 0; second < 600; second += 1, simulation.now += SECOND)
    simulation.change(`evil-${String(second % count)}`);
  expect(Math.min(...simulation.lifetimes)).toBeGreaterThanOrEqual(59_000);
});

test("another namespace's first reload waits for none of the others", () => {
  for (const attackers of [1, 5, 30]) {
    for (let at = 0; at < 120; at += 7) {
      const simulation = new Simulation();
      const evil = Array.from({ length: attackers }, (_, i) => `evil-${String(i)}`);
      for (let second = 0; second < 130; second += 1, simulation.now += SECOND) {
        const turn = evil[second % attackers] ?? "";
        simulation.change(turn, ...(second === at ? ["shop"] : []));
      }
      expect(simulation.of("shop")).toEqual([at]);
      expect(simulation.most).toBeLessThanOrEqual(6);
    }
  }
});

test("namespaces that change together are reloaded together, as seldom as one", () => {
  const simulation = new Simulation();
  const evil = Array.from({ length: 5 }, (_, i) => `evil-${String(i)}`);
  for (let second = 0; second < 1200; second += 1, simulation.now += SECOND)
    simulation.change(...evil);
  expect(simulation.most).toBeLessThanOrEqual(6);
  expect(Math.min(...simulation.lifetimes)).toBeGreaterThanOrEqual(140_000);
});

test("what can wait is reloaded at once if no reload of the namespace drains, and otherwise once a minute", () => {
  let now = 100_000;
  const shares = new ReloadShares(DRAIN, () => now);
  const none = { generations: [], most: MOST };
  const one = { generations: [1], most: MOST };
  expect(shares.wait("shop", "patient", none)).toBe(0);
  shares.reloaded(1, { prompt: ["other"], patient: ["shop"] }, none);
  now += 1000;
  expect(shares.wait("shop", "patient", none)).toBe(0);
  expect(shares.wait("shop", "patient", one)).toBe(59_000);
  // It takes nothing from the share for other changes, and only the causes wait.
  expect(shares.wait("shop", "prompt", one)).toBe(0);
  expect(shares.wait("cafe", "patient", one)).toBe(0);
});

test("ordinary use does not wait: a change a minute in each of four namespaces", () => {
  const simulation = new Simulation();
  for (let minute = 0; minute < 10; minute += 1) {
    for (const [i, name] of ["a", "b", "c", "d"].entries()) {
      simulation.now = minute * 60_000 + i * 9000;
      simulation.change(name);
    }
  }
  const delays = ["a", "b", "c", "d"].map((name) => simulation.of(name).length);
  expect(delays).toEqual([10, 10, 10, 10]);
});

test("old workers that are gone count no longer, and operators never wait", () => {
  let now = 0;
  const shares = new ReloadShares(DRAIN, () => now);
  const none = { generations: [], most: MOST };
  for (let generation = 1; generation < 20; generation += 1) {
    shares.reloaded(generation, { prompt: ["shop"], patient: [] }, none);
    now += 500;
    expect(shares.wait("shop", "prompt", none)).toBe(500);
    now += 500;
    expect(shares.wait("shop", "prompt", none)).toBe(0);
  }
  const all = { generations: [16, 17, 18, 19], most: MOST };
  expect(shares.wait("shop", "prompt", all)).toBeGreaterThan(55_000);
  expect(shares.wait("", "prompt", all)).toBe(0);
});

test("what nginx refused waits like a reload, until one succeeds", () => {
  let now = 0;
  const shares = new ReloadShares(DRAIN, () => now);
  const none = { generations: [], most: MOST };
  shares.refused("shop");
  expect(shares.wait("shop", "prompt", none)).toBe(1000);
  expect(shares.wait("other", "prompt", none)).toBe(0);
  for (now of [1000, 2000]) shares.refused("shop");
  expect(shares.wait("shop", "prompt", none)).toBe(60_000);
  now = 62_000;
  shares.reloaded(1, { prompt: ["shop"], patient: [] }, none);
  now = 63_000;
  expect(shares.wait("shop", "prompt", none)).toBe(0);
});
