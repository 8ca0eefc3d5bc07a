/** A bug in rendering costs one object, too: its route can't be printed unless it is a refusal. */
import { jest } from "@jest/globals";
import type { Route } from "../../src/model/route.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { SCENES } from "../support/protected-scenes.js";

const real = await import("../../src/render/policy/canonical-json.js");
jest.unstable_mockModule("../../src/render/policy/canonical-json.js", () => ({
  ...real,
  canonicalJson: (value: Partial<Route>) => {
    if (value.source?.[2] === "secret" && value.backends !== undefined) throw new Error("a bug");
    return real.canonicalJson(value);
  },
}));
const { Compiler } = await import("../../src/compile.js");

test("its paths are closed, and changes that follow are compiled", () => {
  const [scene] = SCENES;
  const { resources } = resourcesFromYaml(`${scene?.others ?? ""}---${scene?.text ?? ""}`);
  const compiler = new Compiler();
  for (const given of [resources, resources, { ...resources }]) {
    const { diagnostics, config } = compiler.compile(given, DEFAULT_OPTIONS);
    expect(diagnostics).toMatchObject([
      { code: "INTERNAL_ERROR", resource: { kind: "Ingress", name: "secret" } },
    ]);
    const outcomes = config.routes.map(({ source, refuse }) => [source[2], refuse?.[0]] as const);
    expect(new Map(outcomes.map(([name, status]) => [name, status]))).toEqual(
      new Map([
        ["open", undefined],
        ["secret", 503],
      ]),
    );
  }
});
