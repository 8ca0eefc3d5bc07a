import type { Effect } from "../../../src/diff/effects.js";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runDiff } from "../../../src/cli/diff.js";
import { resolveSettings } from "../../../src/cli/settings.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

const INGRESS = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop, annotations: { nginx.ingress.kubernetes.io/auth-url: http://auth.example/check } }
spec: { defaultBackend: { service: { name: web, port: { number: 80 } } } }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
`;

async function run(
  now: string,
  format: "text" | "json" = "text",
  failOn: readonly Effect[] = ["authLost"],
): Promise<{ status: number; output: string; errors: string }> {
  const [before, after] = ["before.yaml", "now.yaml"].map((name) => join(folder(), name));
  writeFileSync(before ?? "", INGRESS);
  writeFileSync(after ?? "", now);
  const said = { output: "", errors: "" };
  const status = await runDiff(
    {
      ...{ command: "diff", paths: [], kubernetes: false, config: undefined, flags: {}, format },
      ...{ before: before ?? "", now: after ?? "", failOn },
    },
    resolveSettings({ flags: {}, variables: {} }),
    {
      write: (text) => void (said.output += text),
      writeError: (text) => void (said.errors += text),
      progress: () => undefined,
      colours: false,
      variables: {},
      readInput: () => Promise.resolve(""),
    },
  );
  return { status, ...said };
}

test("lost auth is exit status 1, and JSON lists it", async () => {
  const { status, output } = await run(INGRESS.replace(/annotations: .*\}/, "}"), "json");
  expect(status).toBe(1);
  expect(JSON.parse(output)).toMatchObject({
    changes: [{ effects: ["authLost"], hosts: [""], paths: [["prefix", ""]] }],
    certificates: [],
  });
});

test.each<readonly [Effect, string, number]>([
  ["rerouted", INGRESS.replaceAll("web", "api"), 1],
  ["removed", INGRESS.replaceAll("web", "api"), 0],
  ["removed", INGRESS.replace(/^spec:[^]*?---/m, "spec: {}\n---"), 1],
])("--fail-on chooses what is exit status 1: %s", async (effect, now, expected) => {
  expect((await run(now, "text", [effect])).status).toBe(expected);
});

test("any other change is exit status 0", async () => {
  const { status, output } = await run(INGRESS.replaceAll("web", "api"));
  expect(status).toBe(0);
  expect(output).toContain("routed elsewhere (1)");
});

test("an error that only the new manifests have is exit status 1, and is shown", async () => {
  const { status, errors } = await run(`${INGRESS}---\n:`);
  expect(status).toBe(1);
  expect(errors).toMatch(/now\.yaml:\d+:\d+: error/);
});
