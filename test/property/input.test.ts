import { fc } from "../support/fast-check.js";
import { dump } from "js-yaml";
import type { Diagnostic, FieldPath } from "../../src/diagnostics/diagnostic.js";
import { formatJson, formatText } from "../../src/diagnostics/format.js";
import type { JsonSchema } from "../../src/api/schemas/schema.js";
import { DEFAULT_INPUT_OPTIONS, kindTable } from "../../src/input/kind-table.js";
import {
  advance,
  initialInput,
  loadResources,
  resourcesFromObjects,
  resourcesFromYaml,
} from "../../src/input/load.js";
import { TextLocator, splitDocuments } from "../../src/input/text-locator.js";
import { parseYaml } from "../../src/input/yaml.js";

const KINDS = Object.entries(kindTable("crd.alauda.io")).map(
  ([kind, { group, versions, schema }]): readonly [string, string, JsonSchema] => {
    const [version = ""] = versions;
    return [group === "" ? version : `${group}/${version}`, kind, schema];
  },
);

/** Values that are often of the right shape and sometimes of any other. */
function valueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 8, arbitrary: shaped(schema) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

function shaped(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(
      ([name, property]) => [name, valueOf(property)] as const,
    );
    const record = Object.fromEntries(fields);
    const requiredKeys = (schema.required ?? []).filter((name) => Object.hasOwn(record, name));
    return fc.oneof(
      { weight: 3, arbitrary: fc.record(record, { requiredKeys }) },
      { weight: 1, arbitrary: fc.record(record, { requiredKeys: [] }) },
    );
  }
  if (schema.items !== undefined) return fc.array(valueOf(schema.items), { maxLength: 3 });
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === "integer") return fc.integer({ min: -1, max: 70_000 });
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "string") {
    return fc.oneof(fc.string(), fc.constantFrom("a", "/a", "ns/name", "a.example", "80"));
  }
  if (schema.type !== "object") return fc.jsonValue();
  return fc.dictionary(fc.string(), valueOf(schema.additionalProperties ?? {}), { maxKeys: 3 });
}

const manifest = fc.constantFrom(...KINDS).chain(([apiVersion, kind, schema]) =>
  fc
    .tuple(shaped(schema), fc.constantFrom("a", "b", "c-d"), fc.boolean())
    .map(([fields, name, named]): Record<string, unknown> => ({
      ...(typeof fields === "object" ? fields : {}),
      apiVersion,
      kind,
      ...(named ? { metadata: { name, namespace: "shop" } } : {}),
    })),
);

function formatted(diagnostics: readonly Diagnostic[]): string {
  formatJson(diagnostics)
    .split("\n")
    .filter((line) => line !== "")
    .forEach((line) => JSON.parse(line) as unknown);
  return formatText(diagnostics, { colours: false });
}

describe("whatever comes in", () => {
  it("any text gives resources and diagnostics", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        formatted(resourcesFromYaml(text).diagnostics);
      }),
    );
  });

  it("any text of YAML's own characters gives resources and diagnostics", () => {
    const pieces = fc.constantFrom(
      ..."{}[],:-?&*!|>'\"%@`#~<\n \t\r".split(""),
      "\n---\n",
      "\n...\n",
      "<<: ",
      "&a ",
      "*a",
      "a: ",
      "- ",
      "kind: Secret",
      "null",
      "0x1",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        formatted(resourcesFromYaml(parts.join("")).diagnostics);
      }),
      { numRuns: 400 },
    );
  });

  it("any object is served, counted, or reported with an error", () => {
    fc.assert(
      fc.property(fc.oneof(manifest, fc.jsonValue()), (object) => {
        const { resources, diagnostics, unknownKinds } = resourcesFromObjects([object]);
        formatted(diagnostics);
        const objects = KINDS.flatMap(([, kind]) => resources.list(kind as "Rule"));
        const served = objects.filter(({ closed }) => closed === undefined).length;
        const refused = diagnostics.some(
          ({ severity, code }) => severity === "error" && code !== "AUTH_CONFIG_INVALID",
        );
        expect([served, unknownKinds.length, Number(refused)].sort()).toEqual([0, 0, 1]);
      }),
      { numRuns: 150 },
    );
  });

  it("that is served is served again as it is", () => {
    fc.assert(
      fc.property(manifest, (object) => {
        const { resources, diagnostics } = resourcesFromObjects([object]);
        // A broken Auth object is served with a mark that nobody may write, as a closed one is.
        fc.pre(!diagnostics.some(({ code }) => code === "AUTH_CONFIG_INVALID"));
        const served = KINDS.flatMap(([, kind]) => resources.list(kind as "Rule"));
        fc.pre(served.every(({ closed }) => closed === undefined));
        const again = resourcesFromObjects(served);
        expect(KINDS.flatMap(([, kind]) => again.resources.list(kind as "Rule"))).toEqual(served);
      }),
    );
  });

  it("is not changed by being read", () => {
    fc.assert(
      fc.property(manifest, (object) => {
        const before = JSON.stringify(object);
        resourcesFromObjects([object]);
        expect(JSON.stringify(object)).toBe(before);
      }),
    );
  });
});

describe("the order of the input", () => {
  it("does not matter while no two objects have one name", () => {
    const distinct = fc.uniqueArray(manifest, {
      maxLength: 6,
      selector: (object) => JSON.stringify([object["kind"], object["metadata"]]),
    });
    const shuffled = distinct.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        const result = (objects: readonly unknown[]) => {
          const { resources, diagnostics } = resourcesFromObjects(objects);
          return [diagnostics, KINDS.map(([, kind]) => resources.list(kind as "Rule"))];
        };
        expect(result(other)).toEqual(result(list));
      }),
    );
  });

  it("does not matter to the documents of a text, but for their lines", () => {
    fc.assert(
      fc.property(fc.array(manifest, { maxLength: 4 }), (objects) => {
        const yaml = objects.map((object) => dump(object)).join("---\n");
        const json = objects.map((object) => JSON.stringify(object)).join("\n---\n");
        const result = (text: string) => {
          const { diagnostics } = resourcesFromYaml(text);
          return diagnostics
            .map(({ code, message, field }) => JSON.stringify([code, message, field]))
            .sort();
        };
        expect(result(yaml)).toEqual(result(json));
      }),
    );
  });
});

describe("places", () => {
  const value = fc.letrec<{ value: unknown; key: string }>((tie) => ({
    key: fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom("a", "on", "1", "null", "a b", "<<", "y"),
    ),
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("text", "two\nlines", "'\"", "", 1, true, null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(tie("key"), tie("value"), { maxKeys: 3 }),
    ),
  })).value;

  /** Every field of a value, with what it holds. */
  function fields(root: unknown, path: FieldPath = []): readonly (readonly [FieldPath, unknown])[] {
    const own: readonly (readonly [FieldPath, unknown])[] = [[path, root]];
    if (Array.isArray(root))
      return [...own, ...root.flatMap((item, i) => fields(item, [...path, i]))];
    if (typeof root !== "object" || root === null) return own;
    return [...own, ...Object.entries(root).flatMap(([key, item]) => fields(item, [...path, key]))];
  }

  it.each([
    ["JSON", (root: unknown) => JSON.stringify(root, null, 1)],
    ["JSON on one line", (root: unknown) => JSON.stringify(root)],
    ["YAML", (root: unknown) => dump(root)],
    ["YAML in flow style", (root: unknown) => dump(root, { flowLevel: 1 })],
  ])("of every scalar in %s are where it is written", (_name, write) => {
    fc.assert(
      fc.property(value, (root) => {
        const text = write({ kind: "Service", root });
        const parsed = parseYaml(text);
        fc.pre("documents" in parsed);
        const locator = new TextLocator(text);
        const lines = text.split("\n");
        for (const [path, held] of fields({ kind: "Service", root })) {
          const place = locator.field(0, path);
          if (place === undefined) throw new Error(`no place for ${JSON.stringify(path)}`);
          const rest = Array.from(lines[place.line - 1] ?? "")
            .slice(place.column - 1)
            .join("");
          if (typeof held === "string" && /^[a-z]+$/.test(held))
            expect(rest).toMatch(new RegExp(`^["']?${held}`));
          if (typeof held === "number" || typeof held === "boolean")
            expect(rest.startsWith(String(held))).toBe(true);
        }
      }),
    );
  });
});

describe("splitting", () => {
  it("loses nothing and changes nothing", () => {
    const piece = fc.constantFrom(
      "a: 1",
      `b: ${"x".repeat(80)}`,
      "---",
      "--- ",
      "--- b",
      "...",
      "# x",
      "\n",
      "\r\n",
      "  - ---",
      "|\n  x",
      "%",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("\n");
        const parts = splitDocuments(text);
        expect(parts.join("")).toBe(text);
        const whole = parseYaml(text);
        if (!("documents" in whole)) return;
        const apart = parts.flatMap((part) => {
          const parsed = parseYaml(part);
          if (!("documents" in parsed)) throw new Error(`a part of a good text is bad: ${part}`);
          return parsed.documents;
        });
        const written = (documents: readonly unknown[]) =>
          documents.filter((document) => document !== null);
        expect(written(apart)).toEqual(written(whole.documents));
      }),
      { numRuns: 300 },
    );
  });
});

describe("reading again", () => {
  it("gives what reading once gives, as long as nothing was broken before", () => {
    const text = fc
      .array(manifest, { maxLength: 3 })
      .map((objects) => objects.map((object) => dump(object)).join("---\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const first = advance(initialInput(DEFAULT_INPUT_OPTIONS), [{ path: "f", text: before }]);
        const again = advance(first.state, [{ path: "f", text: after }]);
        const once = loadResources([{ path: "f", text: after }]);
        fc.pre(once.diagnostics.every(({ severity }) => severity !== "error"));
        expect(again.diagnostics).toEqual(once.diagnostics);
        for (const [, kind] of KINDS) {
          expect(again.resources.list(kind as "Rule")).toEqual(once.resources.list(kind as "Rule"));
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("reading again and again", () => {
  const map = (name: string, value: number, comment = "") =>
    `${comment}apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {k: "${value}"}\n`;
  const document = fc.oneof(
    fc
      .tuple(fc.constantFrom("a", "b", "c", "d", "e"), fc.nat({ max: 2 }))
      .map(([name, value]) => map(name, value)),
    fc.constantFrom("a", "b").map((name) => map(name, 1, "# one more line\n")),
    fc.constant("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: of-another-kind}\n"),
    fc.constant("apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {portz: 1}\n"),
  );
  const file = fc.array(document, { maxLength: 5 }).map((documents) => documents.join("---\n"));
  const files = fc.dictionary(fc.constantFrom("f", "g", "h"), file, { noNullPrototype: true });

  const RENAMED = [{ h: map("b", 1) }, { f: map("b", 1) }];

  it("gives what reading once gives: the objects, their places and the diagnostics", () => {
    fc.assert(
      fc.property(fc.array(files, { minLength: 2, maxLength: 6 }), (all) => {
        let state = initialInput(DEFAULT_INPUT_OPTIONS);
        for (const given of all) {
          const sources = Object.entries(given).map(([path, text]) => ({ path, text }));
          const again = advance(state, sources);
          state = again.state;
          const once = loadResources(sources);
          expect(again.diagnostics).toEqual(once.diagnostics);
          expect(again.objects).toBe(once.objects);
          expect(again.unknownKinds).toEqual(once.unknownKinds);
          expect(again.resources.list("Service")).toEqual(once.resources.list("Service"));
          const maps = once.resources.list("ConfigMap");
          expect(again.resources.list("ConfigMap")).toEqual(maps);
          for (const { apiVersion, kind, metadata } of maps) {
            const ref = { apiVersion, kind, ...metadata };
            const place = again.resources.locate(ref, ["data"]);
            expect(place).toEqual(once.resources.locate(ref, ["data"]));
          }
        }
      }),
      { numRuns: 400, examples: [[RENAMED]] },
    );
  });
});

describe("secrets", () => {
  it("never show in diagnostics, however the manifest is broken", () => {
    const PASSWORD = "hunter2hunter2";
    const breakage = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.replace("kind: Secret", "kind Secret"),
      (text: string) => text.replace("kind: Secret", "kind: secret"),
      (text: string) => text.replace("stringData:", "stringdata:"),
      (text: string) => text.replace("name: x", "name: X"),
      (text: string) => text.replace(`"${PASSWORD}"`, `*${PASSWORD}`),
      (text: string) => text.replace(`"${PASSWORD}"`, `!${PASSWORD} x`),
      (text: string) => text.replace(`"${PASSWORD}"`, `"${PASSWORD}`),
      (text: string) => text.replace(`"${PASSWORD}"`, `${PASSWORD}: ${PASSWORD}: x`),
      (text: string) => text.replace(`"${PASSWORD}"`, `[${PASSWORD}]`),
      (text: string) => text.replace("stringData:", "\tstringData:"),
      (text: string) => text.replace("stringData:", "data:"),
      (text: string) => text.replace("metadata:", "metadata: x"),
      (text: string) => text.replace("apiVersion: v1\n", ""),
      (text: string) => `${text}${text}`,
      (text: string) => `${text}---\n${text}`,
      (text: string) => text.replaceAll("\n", "\n  ").replace(/^/, "kind: List\nitems:\n- "),
      (text: string) => JSON.stringify(text),
    );
    const text = `apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\nstringData:\n  p: "${PASSWORD}"\n`;
    fc.assert(
      fc.property(fc.array(breakage, { maxLength: 3 }), (steps) => {
        const broken = steps.reduce((current, step) => step(current), text);
        const { diagnostics } = resourcesFromYaml(broken);
        expect(formatted(diagnostics)).not.toContain(PASSWORD);
        expect(formatJson(diagnostics)).not.toContain(PASSWORD);
      }),
      { numRuns: 400 },
    );
  });
});
