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
      const now = read(world, mistake);
      expect(outcomes(world, now)).toEqual(before);
    },
  );

  test("stay as they are beside any object that is written wrong", () => {
    fc.assert(
      fc.property(fc.constantFrom(...SOUND).chain(writtenWrong), (wrong) => {
        const now = read(world, wrong);
        fc.pre(isRefused(now));
        expect(outcomes(world, now)).toEqual(before);
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
