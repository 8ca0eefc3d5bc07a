/**
 * Law: a typo never opens a path. Each scene has a protected object beside a wider one that is open. Whatever typo is made in the
 * protected one, a request that was refused without credentials never reaches a backend: neither from a fresh start nor after an edit.
 */
import { dump, loadAll } from "js-yaml";
import { compile } from "../../src/compile.js";
import { type Explanation, explain, readPolicy } from "../../src/explain/explain.js";
import { type ExplainRequest, parseRequest } from "../../src/explain/request.js";
import { type Advance, advance, initialInput, resourcesFromObjects } from "../../src/input/load.js";
import { DEFAULT_INPUT_OPTIONS } from "../../src/input/kind-table.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { contentsOf } from "../../src/render/rendered-file.js";
import { fc, runs } from "../support/fast-check.js";
import type { Json } from "../support/hostile-input.js";
import { SCENES, type Scene } from "../support/protected-scenes.js";
import { pathsOf, writtenWrong } from "../support/typos.js";

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

function answerTo(url: string, { resources }: Pick<Advance, "resources">): Explanation {
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

function sources(scene: Scene, text: string) {
  return [
    { path: "others.yaml", text: scene.others },
    { path: "protected.yaml", text },
  ];
}

/** From a fresh start, and after an edit. */
function expectClosed(scene: Scene, before: Advance, text: string): void {
  const fresh = advance(START, sources(scene, text));
  const edited = advance(before.state, sources(scene, text));
  // The file can't be told from one that can't be read: albc is not ready.
  const isReady = fresh.unreadable.length === 0;
  expect(isReady && isOpen(answerTo(scene.url, fresh))).toBe(false);
  expect(isOpen(answerTo(scene.url, edited))).toBe(false);
}

/** Typos that opened a path once. */
const FOUND: readonly (readonly [scene: string, right: string | RegExp, wrong: string])[] = [
  ["an Ingress with forward auth", "host: a.example", "host: []"],
  ["an Ingress with forward auth", "host: a.example", "host:"],
  ["a Rule with auth", "dslx:", "dsl:"],
  ["an Ingress with forward auth, on a further host", /annotations: .*/, "annotations: 5"],
  [
    "an Ingress with forward auth, on a further host",
    "server-alias: b.example",
    "server-alias: [b.example]",
  ],
  ["an Ingress with forward auth, on a further host", "server-alias:", "sever-alias:"],
  ["a Rule with the auth of its Frontend", "dslx:", "match:"],
  ["an Ingress with source ranges for one of its paths", "index.0-1.", "aindex.a-1."],
  ...[
    'dsl: "(AND (EQ HOST a.example) (OR (STARTS_WITH URL /admin) (EQ URL /secret)))"',
    'dsl: "(STARTS_WITH URL /admin)"',
    'dsl: "(REGEX URL ^/(admin|secret))"',
    "dsl: URL starts with /admin",
    'dsl: "(AND (EQ HOST a.example)"',
    'dsl: "(OR (EQ HOST b.example) (STARTS_WITH URL /admin))"',
    "domain: a.example\n  url: /admin",
    "url: /admin",
    "dslx: []\n  url: /admin",
    "dslx: [{ type: URL, values: [] }]\n  url: /admin",
  ].map((text) => ["a Rule with auth", /dslx:\n.*\n.*/, text] as const),
  [
    "a Rule with the auth of its Frontend",
    "crd.alauda.io/v1\nkind: Rule",
    "rd.alauda.io/v1\nkind: ulb",
  ],
  ["an AuthPolicy for a route", "group: gateway.networking", "group: networking"],
];

const START = initialInput(DEFAULT_INPUT_OPTIONS);

function protectedOf(scene: Scene): Json {
  return loadAll(scene.text)[0] as Json;
}

describe.each(SCENES)("$name", (scene) => {
  const value = protectedOf(scene);

  test("is refused, and open without its object", () => {
    const read = advance(START, sources(scene, scene.text));
    expect(read.diagnostics).toEqual([]);
    expect(isOpen(answerTo(scene.url, read))).toBe(false);
    expect(isOpen(answerTo(scene.url, advance(START, sources(scene, ""))))).toBe(true);
  });

  test("no typo opens it", () => {
    const before = advance(START, sources(scene, scene.text));
    fc.assert(
      fc.property(writtenWrong(value), (wrong) => {
        expectClosed(scene, before, dump(wrong));
      }),
      runs(200),
    );
  });
});

/** What keeps a file from saying which objects it holds: of a text, or of the object that has moved there. */
const BREAKAGES: readonly ((text: string) => string)[] = [
  (text) => `${text}\n---\na: [\n b: {\n`,
  (text) => text.replace(/\napiVersion: .*/, ""),
  (text) => text.replace(/\nkind: .*/, ""),
  (text) => text.replace(/\napiVersion: .*\nkind: .*/, ""),
  (text) => text.replace(/\nmetadata:/, "\nmeta:"),
];

describe.each(SCENES)("$name", (scene) => {
  const before = advance(START, sources(scene, scene.text));

  test.each([...BREAKAGES.entries()])(
    "moved to another file, broken in way %i, stays refused",
    (_, breakage) => {
      const others = `${scene.others}---\n${breakage(scene.text)}`;
      for (const rest of [[], [{ path: "protected.yaml", text: "" }]]) {
        const moved = advance(before.state, [{ path: "others.yaml", text: others }, ...rest]);
        expect(isOpen(answerTo(scene.url, moved))).toBe(false);
        // Also while other things change.
        const again = advance(moved.state, [{ path: "others.yaml", text: `${others}# more\n` }]);
        expect(isOpen(answerTo(scene.url, again))).toBe(false);
      }
    },
  );

  test("with the name of another object, it opens nothing", () => {
    const text = (scene.twin ?? "") + scene.text.replace(/name: secret/, "name: open");
    expectClosed(scene, before, text);
  });

  test("with a copy that lacks what protects it before it, it opens nothing", () => {
    const open = scene.text.replace(/\n *(?:annotations|filters|config): .*/, "");
    expectClosed(scene, before, `${open}---\n${scene.text}`);
  });
});

/** A copy in which reading the field throws once, as a bug in one step does. */
function withFault(value: Json, path: readonly (string | number)[]): Json {
  const copy = structuredClone(value);
  const step = (holder: unknown, key: string | number): unknown => Reflect.get(Object(holder), key);
  const holder: object = new Object(path.slice(0, -1).reduce<unknown>(step, copy));
  const field = path.at(-1) ?? "";
  const right = step(holder, field);
  let isRead = false;
  Object.defineProperty(holder, field, {
    enumerable: true,
    get: () => {
      if (isRead) return right;
      isRead = true;
      throw new Error("a bug");
    },
  });
  return copy;
}

describe.each(SCENES)("$name", (scene) => {
  const value = protectedOf(scene);
  const others = loadAll(scene.others);

  test.each(pathsOf(value).map((path) => [path.join("."), path] as const))(
    "closes where reading %s fails",
    (_, path) => {
      const read = resourcesFromObjects([...others, withFault(value, path)]);
      expect(read.diagnostics).toMatchObject([{ code: "INTERNAL_ERROR" }]);
      expect(isOpen(answerTo(scene.url, read))).toBe(false);
    },
  );
});

const GROUPS = ["networking/v1", "k8s.io/v1", "apps/v1", "gateway/v1", "example.com/v1"];
const LISTS = ["list", "Lists", "Lsit"];

/** The protected object as a kind of another group, or in a list that is none. */
function otherForms(value: Json): fc.Arbitrary<Json> {
  const {
    apiVersion,
    kind: right,
    ...untyped
  } = value as Readonly<Record<string, Json>> & {
    readonly apiVersion: string;
    readonly kind: string;
  };
  const grouped = fc
    .tuple(
      fc.constantFrom(...GROUPS, apiVersion),
      fc.constantFrom(right, `${right}Rule`, right.slice(0, 3) + right.slice(4), "Configuration"),
    )
    .map(([group, name]) => ({ ...untyped, apiVersion: group, kind: name }));
  const listed = fc
    .tuple(
      fc.constantFrom(...LISTS, `${right}list`, `${right}Lst`, `${right}esList`),
      fc.constantFrom("items", "item", "Items"),
      fc.boolean(),
    )
    .map(([list, items, isTyped]) => ({
      apiVersion,
      kind: list,
      [items]: [isTyped || list.length < 6 ? value : untyped],
    }));
  return fc.oneof(grouped, listed);
}

describe.each(SCENES)("$name", (scene) => {
  test("of another kind, group or list, opens nothing", () => {
    const before = advance(START, sources(scene, scene.text));
    fc.assert(
      fc.property(otherForms(protectedOf(scene)), (wrong) => {
        expectClosed(scene, before, dump(wrong));
      }),
      runs(30),
    );
  });
});

test.each(FOUND)("%s: %s written as %s opens nothing", (name, right, wrong) => {
  const scene = SCENES.find((each) => each.name === name);
  const text = scene?.text.replace(right, wrong);
  expect(text).not.toBe(scene?.text);
  if (scene === undefined || text === undefined) return;
  expectClosed(scene, advance(START, sources(scene, scene.text)), text);
});
