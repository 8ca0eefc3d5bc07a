import { NginxRefusals } from "../../../src/controller/nginx-refusals.js";
import { resourcesFromObjects } from "../../../src/input/load.js";
import type { Resources } from "../../../src/input/resources.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { NginxRefused } from "../../../src/output/reloader.js";
import type { Log } from "../../../src/support/log.js";
import { fc } from "../../support/fast-check.js";

const quiet: Log = { debug: none, info: none, warn: none, error: none };
function none(): void {
  // Nothing is looked at.
}

function secrets(count: number, namespaces = 3): Resources {
  return resourcesFromObjects(
    Array.from({ length: count }, (_, i) => ({
      apiVersion: "v1",
      kind: "Secret",
      type: "Opaque",
      metadata: { name: `s${String(i)}`, namespace: `ns${String(i % namespaces)}` },
    })),
  ).resources;
}

const nameOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
  `${namespace}/${name}`;

/** An nginx that refuses what has one of these Secrets, closed or not as `form` says. */
function refusing(bad: ReadonlySet<string>, refusesClosed = false, now?: () => number) {
  const count = { tries: 0 };
  const test = (resources: Resources, { refusedObjects }: CompileOptions): Promise<void> => {
    count.tries += 1;
    const gone = refusedObjects.filter(({ isLeftOut }) => isLeftOut || !refusesClosed).map(nameOf);
    const left = resources.list("Secret").map(({ metadata }) => nameOf(metadata));
    const found = left.find((name) => bad.has(name) && !gone.includes(name));
    if (found !== undefined) return Promise.reject(new NginxRefused(`[emerg] ${found}`));
    return Promise.resolve();
  };
  return { refusals: new NginxRefusals<Resources>(quiet, test, now), count };
}

test("whichever objects nginx refuses, these and no others are closed", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 60 }),
      fc.uniqueArray(fc.nat(59), { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (size, picked, refusesClosed) => {
        const resources = secrets(size);
        const all = resources.list("Secret").map(({ metadata }) => nameOf(metadata));
        const bad = new Set(picked.map((index) => all[index % size] ?? ""));
        const { refusals } = refusing(bad, refusesClosed);
        expect(await refusals.search(resources, DEFAULT_OPTIONS)).toBe(true);
        const closed = refusals.among(resources);
        expect(new Set(closed.map(nameOf))).toEqual(bad);
        expect(closed.every(({ isLeftOut }) => isLeftOut === refusesClosed)).toBe(true);
      },
    ),
  );
});

test("one of 20,000 objects is found in a few tries", async () => {
  const { refusals, count } = refusing(new Set(["ns1/s9001"]));
  const resources = secrets(20_000, 2);
  expect(await refusals.search(resources, DEFAULT_OPTIONS)).toBe(true);
  expect(refusals.among(resources).map(nameOf)).toEqual(["ns1/s9001"]);
  expect(count.tries).toBeLessThan(25);
});

test("one namespace with many of them takes no object of another along", async () => {
  const resources = secrets(3000);
  const all = resources.list("Secret").map(({ metadata }) => nameOf(metadata));
  const bad = new Set(all.filter((name, i) => name.startsWith("ns1/") && i % 2 === 0));
  const { refusals, count } = refusing(bad);
  await refusals.search(resources, DEFAULT_OPTIONS);
  const closed = new Set(refusals.among(resources).map(nameOf));
  expect([...bad].every((name) => closed.has(name))).toBe(true);
  expect([...closed].every((name) => name.startsWith("ns1/"))).toBe(true);
  expect(count.tries).toBeLessThan(600);
});

test("an nginx that refuses everything blames no object", async () => {
  const refusals = new NginxRefusals<Resources>(quiet, () =>
    Promise.reject(new NginxRefused("no space left on device")),
  );
  expect(await refusals.search(secrets(5), DEFAULT_OPTIONS)).toBe(false);
  expect(refusals.among(secrets(5))).toEqual([]);
});

test("an object that has changed is tried again", async () => {
  const { refusals } = refusing(new Set(["ns0/s0"]));
  const resources = secrets(2);
  await refusals.search(resources, DEFAULT_OPTIONS);
  expect(refusals.among(resources)).toHaveLength(1);
  expect(refusals.among(secrets(2))).toEqual([]);
});

test("an object that is refused again within a minute stays closed for a minute, whatever it becomes", async () => {
  let now = 0;
  const { refusals } = refusing(new Set(["ns0/s0"]), false, () => now);
  await refusals.search(secrets(2), DEFAULT_OPTIONS);
  now += 30_000;
  expect(refusals.among(secrets(2))).toEqual([]);
  await refusals.search(secrets(2), DEFAULT_OPTIONS);
  now += 30_000;
  const later = secrets(2);
  expect(refusals.among(later).map(nameOf)).toEqual(["ns0/s0"]);
  expect(refusals.held(later)).toBe(30_000);
  expect(await refusals.search(later, DEFAULT_OPTIONS)).toBe(false);
  now += 30_000;
  expect(refusals.among(later)).toEqual([]);
  expect(refusals.held(later)).toBeUndefined();
});

test("a minute after a refusal an object counts as new", async () => {
  let now = 0;
  const { refusals } = refusing(new Set(["ns0/s0"]), false, () => now);
  await refusals.search(secrets(2), DEFAULT_OPTIONS);
  now += 60_000;
  await refusals.search(secrets(2), DEFAULT_OPTIONS);
  expect(refusals.among(secrets(2))).toEqual([]);
});
