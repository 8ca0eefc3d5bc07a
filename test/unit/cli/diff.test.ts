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
  format: "text" | "json" | "markdown" = "text",
  failOn: readonly Effect[] = ["authLost"],
  old = INGRESS,
): Promise<{ status: number; output: string; errors: string }> {
  const [before, after] = ["before.yaml", "now.yaml"].map((name) => join(folder(), name));
  writeFileSync(before ?? "", old);
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

const HOST = "nginx.ingress.kubernetes.io";
const BASIC = INGRESS.replace(
  /annotations: .*\}/,
  `annotations: { ${HOST}/auth-type: basic, ${HOST}/auth-secret: users, ${HOST}/whitelist-source-range: 10.0.0.0/8 } }`,
);
const ANY = BASIC.replace("auth-type", `satisfy: any, ${HOST}/auth-type`);
const USERS = `---
apiVersion: v1
kind: Secret
metadata: { name: users, namespace: shop }
stringData: { auth: "a:$apr1$lZL6V/ci$PR6QJXkRFUzdUuaYcwrI//" }
`;

test("what neither side has is assumed, so that auth is compared", async () => {
  const { status, output, errors } = await run(ANY, "text", ["authLost"], BASIC);
  expect(output).toContain("auth is lost (1)");
  expect(errors).not.toContain("AUTH_REFERENCE_NOT_FOUND");
  expect(status).toBe(1);
  expect((await run(BASIC, "text", ["authLost"], BASIC)).status).toBe(0);
});

test("what only the old side has is missing", async () => {
  const { status, output, errors } = await run(BASIC, "text", ["authLost"], BASIC + USERS);
  expect(output).toContain("no longer served (1)");
  expect(errors).toContain("AUTH_REFERENCE_NOT_FOUND: secret shop/users not found");
  expect(status).toBe(1);
});

const REFUSED = INGRESS.replace("spec: {", "spec: { rulez: [],");
const ROUTE = `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: r }
spec:
  parentRefs: [{ name: elsewhere, sectionName: a }, { name: elsewhere, sectionName: b }]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
`;
const GATEWAY = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: g }
spec: { gatewayClassName: albc, addresses: [{ value: 10.0.0.1 }], listeners: [{ name: a, port: 80, protocol: HTTP }] }
`;

test("a Gateway that neither side has is assumed, with a port for each section", async () => {
  const now = ROUTE.replace("spec:", "spec:\n  hostnames: [a.example]");
  const { output, errors } = await run(now, "text", ["removed"], ROUTE);
  expect(output).toContain("no longer served (1)\n  http 60001 any other host, http 60002 any");
  expect(errors).toContain("now:    1 object, 0 errors");
  expect((await run(ROUTE, "text", ["authLost"], ROUTE)).output).toBe(
    "no request is treated differently\n",
  );
});

test.each([
  ["a refused object", REFUSED, "Ingress shop/web"],
  [
    "a route whose ListenerSet is elsewhere",
    ROUTE.replace(/parentRefs:.*\]/, "parentRefs: [{ kind: ListenerSet, name: elsewhere }]"),
    "HTTPRoute default/r",
  ],
  [
    "an Ingress whose auth can't be read",
    INGRESS.replace("http://auth", "auth"),
    "Ingress shop/web",
  ],
  ["a Gateway without an address", GATEWAY, "Gateway default/g"],
  ["a file that is no YAML", ":\n:", "now.yaml"],
])("%s can't be compared, though it has not changed", async (_, text, name) => {
  const { status, output } = await run(text, "text", ["authLost"], text);
  expect(status).toBe(1);
  expect(output).toMatch(
    new RegExp(
      `^not compared \\(1\\): albc validate says why\n  \\S*.*${name}\n\nnot compared: 1\n$`,
    ),
  );
  const markdown = await run(text, "markdown", ["authLost"], text);
  expect(markdown.output).toMatch(/^Not compared: .+\.$/m);
  expect(markdown.output).not.toContain("No request is treated differently.");
});

test("an object that was refused before is compared with its closed paths", async () => {
  expect(await run(INGRESS, "text", ["authLost"], REFUSED)).toMatchObject({
    status: 0,
    output: expect.stringContaining("newly served: 1") as unknown,
  });
});
