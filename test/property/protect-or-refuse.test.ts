/**
 * Law: a typo never opens a path. Each scene has a protected object beside a wider one that is open. Whatever typo is made in the
 * protected one, a request that was refused without credentials never reaches a backend: neither from a fresh start nor after an edit.
 */
import { dump, loadAll } from "js-yaml";
import { compile } from "../../src/compile.js";
import { explain } from "../../src/explain/explain.js";
import type { Explanation } from "../../src/explain/explain.js";
import { readPolicy } from "../../src/explain/read-policy.js";
import { parseRequest } from "../../src/explain/request.js";
import type { ExplainRequest } from "../../src/explain/request.js";
import { advance, initialInput } from "../../src/input/last-good.js";
import type { Advance } from "../../src/input/last-good.js";
import { DEFAULT_INPUT_OPTIONS } from "../../src/input/source.js";
import { DEFAULT_OPTIONS } from "../../src/options.js";
import { contentsOf } from "../../src/render/rendered-file.js";
import { fc, runs } from "../support/fast-check.js";
import type { Json } from "../support/hostile-input.js";
import { SCENES } from "../support/protected-scenes.js";
import type { Scene } from "../support/protected-scenes.js";
import { isDifferent, typo } from "../support/typos.js";

function request(url: string): ExplainRequest {
  const isGrpc = url.startsWith("grpc");
  const parsed = parseRequest({
    method: isGrpc ? "POST" : "GET",
    url: url.replace(/^grpc/, "http"),
    headers: isGrpc ? ["Content-Type: application/grpc"] : [],
    client: "192.0.2.1",
  });
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}

function answerTo(url: string, { resources }: Advance): Explanation {
  const { files } = compile(resources, DEFAULT_OPTIONS);
  const file = files.find(({ path }) => path === "policy.json");
  return explain(readPolicy(file === undefined ? "{}" : contentsOf(file)), request(url));
}

/** Whether it reaches a backend without credentials. */
function isOpen({ answer, route }: Explanation): boolean {
  if (answer.kind !== "forwarded" || route === undefined || route.auth.length > 0) return false;
  return route.backends.some(
    ({ upstream, filters }) => upstream !== undefined && (filters?.auth ?? []).length === 0,
  );
}

function sources(scene: Scene, value: Json) {
  return [
    { path: "others.yaml", text: scene.others },
    { path: "protected.yaml", text: dump(value) },
  ];
}

const START = initialInput(DEFAULT_INPUT_OPTIONS);

function protectedOf(scene: Scene): Json {
  return loadAll(scene.text)[0] as Json;
}

describe.each(SCENES)("$name", (scene) => {
  const value = protectedOf(scene);

  test("is refused, and open without its object", () => {
    expect(isOpen(answerTo(scene.url, advance(START, sources(scene, value))))).toBe(false);
    expect(isOpen(answerTo(scene.url, advance(START, sources(scene, null))))).toBe(true);
  });

  test("no typo opens it", () => {
    const before = advance(START, sources(scene, value));
    fc.assert(
      fc.property(typo(value), (wrong) => {
        fc.pre(!isDifferent(value, wrong));
        const written = sources(scene, wrong);
        const fresh = advance(START, written);
        const edited = advance(before.state, written);
        // The file can't be told from one that can't be read: albc is not ready.
        const isReady = fresh.unreadable.length === 0;
        expect(isReady && isOpen(answerTo(scene.url, fresh))).toBe(false);
        expect(isOpen(answerTo(scene.url, edited))).toBe(false);
      }),
      runs(250),
    );
  });
});
