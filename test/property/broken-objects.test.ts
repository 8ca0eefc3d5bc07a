/**
 * Law: a mistake costs what the object itself names. A valid set of objects and any broken object: no request to a host and path that the
 * broken object does not name changes its outcome.
 */
import { dump } from "js-yaml";
import { compile } from "../../src/compile.js";
import { explain, readPolicy } from "../../src/explain/explain.js";
import { parseRequest } from "../../src/explain/request.js";
import { DEFAULT_INPUT_OPTIONS } from "../../src/input/kind-table.js";
import { type Advance, advance, initialInput } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { contentsOf } from "../../src/render/rendered-file.js";
import { BROKEN_WORLDS, type BrokenWorld, MISTAKES, SOUND } from "../support/broken-worlds.js";
import { fc, runs } from "../support/fast-check.js";
import type { Json } from "../support/hostile-input.js";
import { writtenWrong } from "../support/typos.js";

const START = initialInput(DEFAULT_INPUT_OPTIONS);

function read({ text }: BrokenWorld, broken?: Json, before = START): Advance {
  const more = broken === undefined ? [] : [{ path: "broken.yaml", text: dump(broken) }];
  return advance(before, [...more, { path: "world.yaml", text }]);
}

/** What each request gets: the route, or the answer without one. */
function outcomes(
  { urls }: BrokenWorld,
  { resources }: Advance,
): Readonly<Record<string, unknown>> {
  const { files } = compile(resources, DEFAULT_OPTIONS);
  const file = files.find(({ path }) => path === "policy.json");
  const policy = readPolicy(file === undefined ? "{}" : contentsOf(file));
  return Object.fromEntries(
    urls.map((url) => {
      const request = parseRequest({ method: "GET", url, headers: [], client: "192.0.2.1" });
      if (!request.ok) throw new Error(request.problem);
      const { answer, route } = explain(policy, request.value);
      return [url, [answer.kind, route?.id, route?.auth, "status" in answer && answer.status]];
    }),
  );
}

/** A refused ALB2 names the ports of its Ingresses: these answer 503 where no ALB2 was read. */
function named({ urls }: BrokenWorld, { resources }: Advance): readonly string[] {
  const albs = resources.list("ALB2");
  const isAlone = albs.length > 0 && albs.every(({ closed }) => closed !== undefined);
  return isAlone ? urls.filter((url) => new URL(url).port === "") : [];
}

/** What is not named is as before, and what is named reaches no backend. */
function expectSame(
  world: BrokenWorld,
  now: Advance,
  before: Readonly<Record<string, unknown>>,
): void {
  const closed = named(world, now).map((url) => [url, CLOSED] as const);
  const found = outcomes(world, now);
  const kinds = closed.map(([url]) => [url, (found[url] as unknown[])[3]] as const);
  expect(kinds).toEqual(closed);
  const without = Object.fromEntries(closed.map(([url]) => [url, undefined]));
  expect({ ...found, ...without }).toEqual({ ...before, ...without });
}

const CLOSED = 503;

/** Whether the object is not served as it is written. */
function isRefused({ diagnostics }: Advance): boolean {
  return diagnostics.some(({ severity }) => severity === "error");
}

/** An object with another name, namespace or kind is another one. */
function identity(object: Json): string {
  const { kind, metadata } = object as { readonly kind?: Json; readonly metadata?: Json };
  const { name, namespace } = Object(metadata) as Readonly<Record<string, Json>>;
  return JSON.stringify([kind, name, namespace]);
}

describe.each(BROKEN_WORLDS)("$name", (world) => {
  const before = outcomes(world, read(world));

  test("are served", () => {
    expect(read(world).diagnostics).toEqual([]);
    const served = Object.values(before).filter((each) => (each as unknown[])[0] === "forwarded");
    expect(served.length).toBeGreaterThan(10);
  });

  test.each(MISTAKES.map((mistake) => [JSON.stringify(mistake), mistake] as const))(
    "stay as they are beside %s",
    (_, mistake) => {
      expectSame(world, read(world, mistake), before);
    },
  );

  test("stay as they are beside any object that is written wrong", () => {
    fc.assert(
      fc.property(fc.constantFrom(...SOUND).chain(writtenWrong), (wrong) => {
        const now = read(world, wrong);
        fc.pre(isRefused(now));
        expectSame(world, now, before);
      }),
      runs(300),
    );
  });

  test("an edit that breaks an object changes nothing", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SOUND).chain((sound) => {
          return writtenWrong(sound).map((wrong) => [sound, wrong] as const);
        }),
        ([sound, wrong]) => {
          const valid = read(world, sound);
          const now = read(world, wrong, valid.state);
          fc.pre(isRefused(now) && identity(sound) === identity(wrong));
          expect(outcomes(world, now)).toEqual(outcomes(world, valid));
        },
      ),
      runs(200),
    );
  });
});

const UNKNOWN = { nonsense: 1 };
const IN_OPS = { name: "a", namespace: "ops" };

test.each<[string, Json]>([
  [
    "Ingresses and routes",
    { apiVersion: "crd.alauda.io/v2", kind: "ALB2", metadata: IN_OPS, spec: UNKNOWN },
  ],
  [
    "an ALB2 with Rules and Ingresses",
    {
      apiVersion: "crd.alauda.io/v1",
      kind: "Frontend",
      metadata: { ...IN_OPS, labels: { "alb2.cpaas.io/name": "alb" } },
      spec: { port: 80, protocol: "http", ...UNKNOWN },
    },
  ],
])("%s: a refused object that may hold auth closes its ports", (name, broken) => {
  const world = BROKEN_WORLDS.find((each) => each.name === name);
  if (world === undefined) throw new Error(`no world ${name}`);
  const [before, now] = [outcomes(world, read(world)), outcomes(world, read(world, broken))];
  for (const url of world.urls) {
    const isNamed = new URL(url).port === "";
    expect([url, isNamed ? (now[url] as unknown[])[3] : now[url]]).toEqual([
      url,
      isNamed ? CLOSED : before[url],
    ]);
  }
});
