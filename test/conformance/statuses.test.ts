/** The statuses that the tests of the conformance suite wait for, computed from the manifests that they apply. */
import { type Compilation, compile } from "../../src/compile.js";
import { resourcesFromObjects } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import type { Manifest } from "../../e2e/harness/manifests.js";
import { type ExpectedFacts, type StatusFacts, statusFacts } from "../support/status-facts.js";
import {
  suiteManifests,
  suiteObjects,
  suiteSetup,
  suiteTests,
} from "../support/conformance-suite.js";
import { EXPECTED } from "./expected-statuses.js";

const ADDRESSES = { usable: "10.244.1.9", unusable: "192.0.2.1" };
const OPTIONS = { ...DEFAULT_OPTIONS, gatewayAddresses: ["10.244.1.0/24"] };

let base: readonly Manifest[];

beforeAll(async () => {
  base = await suiteSetup(ADDRESSES);
});

function compiled(paths: readonly string[]): Compilation {
  const objects = paths.flatMap((path) => suiteObjects(path, ADDRESSES));
  return compile(resourcesFromObjects([...base, ...objects]).resources, OPTIONS);
}

const tests = suiteTests();
const ours = tests.filter(({ isOurs }) => isOurs);

it("knows the suite", () => {
  expect(tests.length).toBeGreaterThan(140);
  expect(ours.length).toBeGreaterThan(140);
  const names = new Set(ours.map(({ name }) => name));
  expect(Object.keys(EXPECTED).filter((name) => !names.has(name))).toEqual([]);
});

it.each(suiteManifests())("%s compiles", (path) => {
  const { files } = compiled([path]);
  expect(files.map((file) => file.path)).toContain("policy.json");
});

it.each(ours.map((test) => [test.name, test.manifests] as const))("%s", (name, manifests) => {
  const facts = statusFacts(compiled(manifests).statuses);
  const expected = EXPECTED[name] ?? {};
  expect(Object.keys(expected).filter((subject) => !facts.has(subject))).toEqual([]);
  const actual = [...facts.keys()].map((subject) => seen(subject, facts, expected));
  expect(Object.fromEntries(actual.map(({ subject, facts: list }) => [subject, list]))).toEqual(
    Object.fromEntries(actual.map(({ subject, wanted }) => [subject, wanted])),
  );
});

/** What the suite waits for where no test says otherwise: everything is fine. */
const FINE = ["Accepted=True", "Programmed=True", "ResolvedRefs=True", "Conflicted=False"];

interface Seen {
  readonly subject: string;
  /** Those that are about what is wanted; reasons only where they are. */
  readonly facts: readonly string[];
  readonly wanted: readonly string[];
}

function seen(subject: string, facts: StatusFacts, expected: ExpectedFacts): Seen {
  const all = facts.get(subject) ?? [];
  const row = expected[subject]?.split(" ").filter((fact) => fact !== "");
  const wanted = row ?? FINE.filter((fact) => all.some((each) => nameOf(each) === nameOf(fact)));
  return {
    subject,
    wanted: [...wanted].sort(),
    facts: wanted
      .map((fact) => {
        const actual = all.find((each) => nameOf(each) === nameOf(fact)) ?? `no ${nameOf(fact)}`;
        return fact.includes("/") ? actual : actual.replace(/\/.*/, "");
      })
      .sort(),
  };
}

function nameOf(fact: string): string {
  return fact.replace(/=.*/, "");
}
