/** The manifests of Gateway API itself: its examples, what it says an API server refuses, its conformance suite. */
import { KIND_NAMES } from "../../../src/api/kinds.js";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { formatText } from "../../../src/diagnostics/format.js";
import { type LoadResult, loadResources } from "../../../src/input/load.js";
import { gatewayApi } from "../../support/gateway-api.js";

/** What the suite puts in before it applies a manifest. */
const PLACEHOLDERS = [
  ["{GATEWAY_CONTROLLER_NAME}", "example.com/controller"],
  ["{GATEWAY_CLASS_NAME}", "gateway-conformance"],
  ["PLACEHOLDER_UNUSABLE_ADDRS", "192.0.2.1"],
  ["PLACEHOLDER_USABLE_ADDRS", "192.0.2.2"],
] as const;

function manifests(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .sort();
}

function read(folder: string, name: string): LoadResult {
  const text = PLACEHOLDERS.reduce(
    (filled, [placeholder, value]) => filled.replaceAll(placeholder, value),
    readFileSync(join(folder, name), "utf8"),
  );
  return loadResources([{ path: name, text }]);
}

const CONFORMANCE = gatewayApi("conformance");
const EXAMPLES = join(gatewayApi("api"), "examples");
const INVALID = join(gatewayApi("api"), "hack/invalid-examples");

describe.each([
  ["base", join(CONFORMANCE, "base"), 1],
  ["tests", join(CONFORMANCE, "tests"), 100],
  ["examples", EXAMPLES, 60],
])("%s", (_name, folder, atLeast) => {
  const names = manifests(folder);

  it("has manifests", () => {
    expect(names.length).toBeGreaterThanOrEqual(atLeast);
  });

  it.each(names)("%s is read without a finding", (name) => {
    const { resources, diagnostics } = read(folder, name);
    expect(formatText(diagnostics, { colours: false })).toBe("");
    expect(resources.refused).toEqual([]);
  });
});

/** API servers refuse these; here a condition tells it, or the first of two entries counts, as the API's prose has it. */
const ANSWERED: ReadonlySet<string> = new Set([
  "standard/httproute/duplicate-header-match.yaml",
  "standard/httproute/duplicate-query-match.yaml",
  "standard/httproute/invalid-method.yaml",
]);

describe("what an API server refuses", () => {
  const names = manifests(INVALID);

  it("is there", () => {
    expect(names.length).toBeGreaterThan(30);
    expect([...ANSWERED].filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(names)("%s", (name) => {
    const { resources, diagnostics, unknownKinds } = read(INVALID, name);
    const isClosed = KIND_NAMES.some((kind) => resources.list(kind).some(({ closed }) => closed));
    const isRefused = (isClosed || resources.refused.length > 0) && diagnostics.length > 0;
    expect(isRefused).toBe(!ANSWERED.has(name) && unknownKinds.length === 0);
  });
});
