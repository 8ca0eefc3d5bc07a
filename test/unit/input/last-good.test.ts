import { type Advance, advance, initialInput } from "../../../src/input/load.js";
import { byNamespaceAndName } from "../../../src/input/resources.js";
import { listDifferences } from "../../../src/support/collections.js";
import { DEFAULT_INPUT_OPTIONS } from "../../../src/input/kind-table.js";
import type { Source } from "../../../src/input/documents.js";
import type { KubernetesObject } from "../../../src/api/wire.js";

type Files = Readonly<Record<string, string>>;

function configMap(name: string, value: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata: {v: "${value}"}\n`;
}

function sources(files: Files): readonly Source[] {
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

/** Reads each state of the files after the other. */
function readAll(...states: readonly (Files | readonly Source[])[]): Advance {
  let state = initialInput(DEFAULT_INPUT_OPTIONS);
  let last: Advance | undefined;
  for (const files of states) {
    last = advance(state, Array.isArray(files) ? files : sources(files as Files));
    state = last.state;
  }
  if (last === undefined) throw new Error("no states");
  return last;
}

/** `name=value` of each config map that is served. */
function served({ resources }: Advance): readonly string[] {
  return resources
    .list("ConfigMap")
    .map((object) => `${object.metadata.name}=${object.data?.["v"] ?? ""}`);
}

function codes({ diagnostics }: Advance): readonly string[] {
  return diagnostics.map((diagnostic) => diagnostic.code);
}

function staleNames({ stale }: Advance): readonly string[] {
  return stale.map((ref) => ref.name);
}

const A1 = configMap("a", "1");
const A2 = configMap("a", "2");
const B1 = configMap("b", "1");
const BROKEN = "a: [";
const INVALID_A = A2.replace('{v: "2"}', "[]");

describe("a file that can't be parsed", () => {
  it("is left out at the start", () => {
    const result = readAll({ "a.yaml": BROKEN, "b.yaml": B1 });
    expect(served(result)).toEqual(["b=1"]);
    expect(codes(result)).toEqual(["YAML_INVALID"]);
    expect(result.stale).toEqual([]);
  });

  it("keeps what it last held, with the error, until it can be read again", () => {
    const good = { "a.yaml": `${A1}---\n${B1}` };
    const broken = { "a.yaml": `${A2}---\n${BROKEN}` };
    const result = readAll(good, broken);
    expect(served(result)).toEqual(["a=1", "b=1"]);
    expect(codes(result)).toEqual(["LAST_GOOD_KEPT", "YAML_INVALID"]);
    expect(staleNames(result)).toEqual(["a", "b"]);
    expect(served(readAll(good, broken, broken, broken))).toEqual(["a=1", "b=1"]);
    const healed = readAll(good, broken, { "a.yaml": A2 });
    expect(served(healed)).toEqual(["a=2"]);
    expect(healed.stale).toEqual([]);
    expect(codes(healed)).toEqual([]);
  });

  it("is gone when it is removed after all", () => {
    expect(served(readAll({ "a.yaml": A1 }, { "a.yaml": BROKEN }, {}))).toEqual([]);
  });

  it("stays ahead of a later file that holds the same object", () => {
    const result = readAll({ "a.yaml": A1, "b.yaml": A2 }, { "a.yaml": BROKEN, "b.yaml": A2 });
    expect(served(result)).toEqual(["a=1"]);
    expect(codes(result)).toEqual(["LAST_GOOD_KEPT", "YAML_INVALID", "OBJECT_DUPLICATE"]);
  });

  it("is found in the old text by its places", () => {
    const result = readAll({ "a.yaml": A1 }, { "a.yaml": BROKEN });
    const [ref] = result.stale;
    expect(ref && result.resources.locate(ref, ["data", "v"])?.excerpt).toBe('data: {v: "1"}');
  });
});

describe("what was never known", () => {
  const NAMELESS = A1.replace("name: a", "nam: a");

  it("is named until it is repaired, also by its folder", () => {
    const files = { "a.yaml": BROKEN, "b.yaml": B1, "c.yaml": `${NAMELESS}---\n${B1}` };
    expect(readAll(files).unreadable).toEqual(["a.yaml", "c.yaml"]);
    expect(readAll(files, files).unreadable).toEqual(["a.yaml", "c.yaml"]);
    expect(readAll(files, { ...files, "a.yaml": A1 }).unreadable).toEqual(["c.yaml"]);
    expect(readAll([{ path: "d", unreadable: "denied" }]).unreadable).toEqual(["d"]);
    expect(readAll(files, {}).unreadable).toEqual([]);
  });

  it("is no file that was good once, even if it held nothing", () => {
    for (const good of [A1, "# nothing yet\n"]) {
      for (const bad of [BROKEN, NAMELESS]) {
        const states = [{ "d/a.yaml": good }, { "d/a.yaml": bad }, { "d/a.yaml": BROKEN }];
        expect(readAll(...states).unreadable).toEqual([]);
        const denied = [{ path: "d", unreadable: "denied" }];
        expect(readAll(...states, denied, denied).unreadable).toEqual([]);
      }
    }
  });

  it("is a new file, and one that was removed in between", () => {
    expect(readAll({ "a.yaml": A1 }, { "b.yaml": BROKEN }).unreadable).toEqual(["b.yaml"]);
    expect(readAll({ "a.yaml": A1 }, {}, { "a.yaml": BROKEN }).unreadable).toEqual(["a.yaml"]);
  });
});

describe("a path that can't be read", () => {
  it("keeps what a file held", () => {
    const result = readAll({ "a.yaml": A1 }, [{ path: "a.yaml", unreadable: "permission denied" }]);
    expect(served(result)).toEqual(["a=1"]);
    expect(codes(result)).toEqual(["FILE_UNREADABLE", "LAST_GOOD_KEPT"]);
    const messages = result.diagnostics.map(({ message }) => message);
    expect(messages).toContain("what a.yaml last held stays as it was: 1 object");
  });

  it("keeps what the files of a folder held", () => {
    const result = readAll({ "d/a.yaml": A1, "d/e/b.yaml": B1, "dx.yaml": configMap("c", "1") }, [
      { path: "d", unreadable: "permission denied" },
    ]);
    expect(served(result)).toEqual(["a=1", "b=1"]);
  });

  it("keeps nothing when it does not exist", () => {
    const result = readAll({ "a.yaml": A1 }, [{ path: "a.yaml", absent: true }]);
    expect(served(result)).toEqual([]);
    expect(codes(result)).toEqual(["FILE_MISSING"]);
  });
});

describe("an object that becomes invalid", () => {
  it("keeps what it last held; its neighbours go on", () => {
    const result = readAll(
      { "a.yaml": `${A1}---\n${B1}` },
      { "a.yaml": `${INVALID_A}---\n${configMap("b", "2")}` },
    );
    expect(served(result)).toEqual(["a=1", "b=2"]);
    expect(staleNames(result)).toEqual(["a"]);
    expect(codes(result)).toEqual(["LAST_GOOD_KEPT", "FIELD_INVALID"]);
    expect(result.resources.refused).toEqual([]);
  });

  it("keeps it in another file too, and gives way to a valid one", () => {
    expect(served(readAll({ "a.yaml": A1 }, { "b.yaml": INVALID_A }))).toEqual(["a=1"]);
    expect(served(readAll({ "a.yaml": A1 }, { "a.yaml": INVALID_A, "b.yaml": A2 }))).toEqual([
      "a=2",
    ]);
  });

  it("keeps it once, however often it is broken", () => {
    const result = readAll({ "a.yaml": A1 }, { "a.yaml": `${INVALID_A}---\n${INVALID_A}` });
    expect(served(result)).toEqual(["a=1"]);
    expect(codes(result)).toEqual(["LAST_GOOD_KEPT", "FIELD_INVALID", "FIELD_INVALID"]);
  });

  it("that was never valid is not served", () => {
    const result = readAll({ "a.yaml": B1 }, { "a.yaml": `${INVALID_A}---\n${B1}` });
    expect(served(result)).toEqual(["b=1"]);
    expect(result.resources.refused).toMatchObject([{ name: "a" }]);
  });

  it("is gone when it is removed while another is broken", () => {
    const result = readAll({ "a.yaml": `${A1}---\n${B1}` }, { "a.yaml": INVALID_A });
    expect(served(result)).toEqual(["a=1"]);
  });

  it("is kept when nobody can tell any more which one it is", () => {
    for (const broken of [
      A2.replace("kind: ConfigMap", "kind: "),
      A2.replace("name: a", "name: A_"),
      A2.replace("  name: a", "  nam: a"),
      A2.replace("name: a", "name: a\n  namespace: B_"),
    ]) {
      const result = readAll({ "a.yaml": `${A1}---\n${B1}` }, { "a.yaml": `${broken}---\n${B1}` });
      expect(served(result)).toEqual(["a=1", "b=1"]);
      expect(staleNames(result)).toEqual(["a"]);
    }
  });
});

describe("an object that was refused at the start", () => {
  const POLICY = `apiVersion: v1
kind: Service
metadata: {name: p}
spec: {ports: 5}
`;
  const MENDED = POLICY.replace("ports: 5", "ports: [{port: 80}]");
  const refused = ({ resources }: Advance): unknown => resources.refused.map(({ name }) => name);

  it("stays refused when its file can't be read any more, so that what it closes stays closed", () => {
    for (const broken of [BROKEN, POLICY.replace("kind: Service", "kind: ")]) {
      const states = [{ "d/a.yaml": POLICY }, { "d/a.yaml": broken }, { "d/a.yaml": broken }];
      expect(refused(readAll(...states))).toEqual(["p"]);
      expect(refused(readAll(...states, [{ path: "d", unreadable: "denied" }]))).toEqual(["p"]);
      expect(refused(readAll(...states, { "d/a.yaml": A1 }))).toEqual([]);
      expect(refused(readAll(...states, { "d/a.yaml": broken, "b.yaml": MENDED }))).toEqual([]);
    }
    const nameless = { "a.yaml": `${POLICY}---\n${POLICY.replace("name: p", "nam: p")}` };
    expect(refused(readAll(nameless, nameless, nameless))).toEqual(["p", ""]);
  });
});

describe("reading again", () => {
  it("does not parse what did not change", () => {
    const first = readAll({ "a.yaml": `${A1}---\n${B1}` });
    const second = advance(first.state, sources({ "a.yaml": `${A1}---\n${configMap("b", "2")}` }));
    const [a, b] = first.resources.list("ConfigMap");
    expect(second.resources.get("ConfigMap", "default", "a")).toBe(a);
    expect(second.resources.get("ConfigMap", "default", "b")).not.toBe(b);
  });

  it("replaces only the objects that changed", () => {
    const first = readAll({ "a.yaml": `${A1}---\n${B1}---\n${configMap("c", "1")}` });
    const next = advance(
      first.state,
      sources({ "a.yaml": `${A2}---\n${configMap("c", "1")}---\n${configMap("d", "1")}` }),
    );
    const changes = listDifferences<KubernetesObject>(
      first.resources.list("ConfigMap"),
      next.resources.list("ConfigMap"),
      byNamespaceAndName,
    );
    const values = changes.map(({ before, now }) => [
      (now ?? before)?.kind,
      before?.metadata.name,
      now?.metadata.name,
    ]);
    expect(values).toEqual([
      ["ConfigMap", "a", "a"],
      ["ConfigMap", "b", undefined],
      ["ConfigMap", undefined, "d"],
    ]);
    expect(next.resources.list("Ingress")).toBe(first.resources.list("Ingress"));
  });

  it("moves the places of what did not change", () => {
    const result = readAll({ "a.yaml": A1 }, { "b.yaml": `# one\n# line\n---\n${A1}` });
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "a" };
    expect(result.resources.locate(ref, ["metadata", "name"])).toMatchObject({
      file: "b.yaml",
      line: 7,
    });
  });

  it("leaves the state that it was given as it was", () => {
    const first = readAll({ "a.yaml": A1 });
    advance(first.state, sources({ "a.yaml": BROKEN }));
    advance(first.state, []);
    expect(served(advance(first.state, sources({ "a.yaml": BROKEN })))).toEqual(["a=1"]);
  });

  it("holds on to no text that is gone", () => {
    const { readings } = readAll({ "a.yaml": A1 }, { "a.yaml": A2 }).state;
    const chunks = [...readings.list].flatMap((reading) => reading.chunks);
    expect(chunks.map(({ text }) => text)).toEqual([A2]);
  });
});
