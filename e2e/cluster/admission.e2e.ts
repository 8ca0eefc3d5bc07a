/** What an API server refuses of the kinds in deploy/crds: what is never served. It admits all that compiles without an error. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import { compileCase, documentsOf, goldenCases } from "../../test/support/golden-case.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster, type Manifest } from "./cluster.js";
import { Pod } from "./pod.js";

const GROUP = "crd.alauda.io";
const CRDS = fileURLToPath(new URL("../../deploy/crds", import.meta.url));
const scene = new Scene();
let cluster: Cluster;
beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
});
afterAll(() => scene.close());

/** What is said about an object that would be created; undefined when it is admitted. */
async function refusal(object: Manifest): Promise<string | undefined> {
  const { name } = object.metadata;
  const placed = { ...object, metadata: { ...object.metadata, namespace: cluster.namespace } };
  const path = cluster.path(placed).slice(0, -name.length - 1);
  const query = { dryRun: "All" };
  return cluster.client.call({ method: "POST", path, query, body: placed }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

function of(kind: string, spec: object): Manifest {
  const version = { AuthPolicy: "v1alpha1", ALB2: "v2" }[kind] ?? "v1";
  return { apiVersion: `${GROUP}/${version}`, kind, metadata: { name: "x" }, spec };
}

const BASIC = { secret: "n/users" };
const FORWARD = { url: "http://auth.example" };
const TARGET = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" };

test.each([
  ["auth_type", of("AuthPolicy", { basic: { ...BASIC, auth_type: "digest" } })],
  ["secret", of("AuthPolicy", { basic: { secret: "users" } })],
  ["secret_type", of("AuthPolicy", { basic: { ...BASIC, secret_type: "auth-fil" } })],
  ["url", of("AuthPolicy", { forward: { url: "auth.example/check" } })],
  ["method", of("AuthPolicy", { forward: { ...FORWARD, method: "get" } })],
  ["auth_headers_cm_ref", of("AuthPolicy", { forward: { ...FORWARD, auth_headers_cm_ref: "x" } })],
  ["targetRefs", of("AuthPolicy", { targetRefs: [{ ...TARGET, kind: "gateway" }] })],
  ["targetRefs", of("AuthPolicy", { targetRefs: [{ ...TARGET, kind: "TCPRoute" }] })],
  ["targetRefs", of("AuthPolicy", { targetRefs: [{ ...TARGET, group: "" }] })],
  ["values", of("Rule", { dslx: [{ type: "URL", values: [["STARTSWITH", "/x"]] }] })],
  ["values", of("Rule", { dslx: [{ type: "URL", values: [[]] }] })],
  ["type", of("Rule", { dslx: [{ type: "URI", values: [["EQ", "/x"]] }] })],
  ["auth_type", of("Rule", { config: { auth: { basic: { ...BASIC, auth_type: "digest" } } } })],
  ["secret", of("Frontend", { port: 80, config: { auth: { basic: { secret: "users" } } } })],
  ["url", of("ALB2", { config: { auth: { forward: { url: "auth.example" } } } })],
])("%s of %j is refused", async (field, object) => {
  expect(await refusal(object)).toMatch(new RegExp(`is invalid: .*\\b${field}\\b`));
});

test("what compiles without an error is admitted", async () => {
  const refused: unknown[] = [];
  let asked = 0;
  for (const golden of goldenCases()) {
    const broken = new Set(
      compileCase(golden)
        .diagnostics.filter(({ severity }) => severity === "error")
        .map(({ resource }) => `${resource?.kind ?? ""} ${resource?.name ?? ""}`),
    );
    for (const object of documentsOf(golden).filter(isOurs)) {
      if (broken.has(`${object.kind} ${object.metadata.name}`)) continue;
      asked += 1;
      const said = await refusal(object);
      if (said !== undefined) refused.push([golden.name, object.metadata.name, said]);
    }
  }
  expect(refused).toEqual([]);
  expect(asked).toBeGreaterThan(50);
});

/** Kinds as in deploy/crds, but of a group of its own, whose definitions no other test needs. */
const OWN_GROUP = "admission.example";

test("objects from before a definition became stricter get statuses, labels and corrections", async () => {
  const { namespace } = cluster;
  const metadata = { namespace };
  const target = { ...TARGET, name: "none" };
  const policy: Manifest = {
    ...of("AuthPolicy", { basic: { auth_type: "digest", secret: "users" }, targetRefs: [target] }),
    apiVersion: `${OWN_GROUP}/v1alpha1`,
    metadata: { ...metadata, name: "old" },
  };
  const rows = Array.from({ length: 5000 }, (_, i) => ["STARTS_WITH", `/${String(i)}`]);
  const terms = Array.from({ length: 70 }, (_, i) => ({
    ...{ type: "PARAM", key: `p${String(i)}` },
    values: [["EXISTS"]],
  }));
  const dslx = [{ type: "URL", values: rows }, ...terms];
  const rule: Manifest = {
    ...of("Rule", { dslx, priority: 5 }),
    apiVersion: `${OWN_GROUP}/v1`,
    metadata: { ...metadata, name: "old" },
  };
  await define((definition) => withoutLimits(definition));
  for (const object of [policy, rule])
    await waitFor("it is stored", () => cluster.apply(object), { deadline: 30_000 });
  await define((definition) => definition);
  const others = [policy, rule].map((object) => ({ ...object, metadata: { name: "new" } }));
  for (const object of others)
    await waitFor("new ones are refused", async () =>
      (await refusal(object))?.includes("is invalid"),
    );

  const flags = ["--alb-api-group", OWN_GROUP];
  await scene.use(Pod.start({ namespace, flags }));
  await waitFor("albc writes its status", async () => {
    const { status } = (await cluster.get(policy)) as { status?: object };
    return JSON.stringify(status).includes("TargetNotFound");
  });
  await patch(policy, { metadata: { labels: { team: "a" } } });
  await patch(rule, { metadata: { labels: { team: "a" } } });
  await patch(rule, { status: { state: "seen" } }, "/status");
  await patch(rule, { spec: { priority: 6 } });
  await patch(policy, { spec: { basic: { auth_type: "basic" } } });
  await expect(patch(policy, { spec: { basic: { secret: "others" } } })).rejects.toThrow("secret");
  await patch(policy, { spec: { basic: { secret: "n/users" } } });
  await patch(rule, { spec: { dslx: [{ type: "URL", values: [["EQ", "/x"]] }] } });
}, 120_000);

/** Applies the definitions of deploy/crds in a group of the test's own. */
async function define(change: (definition: unknown) => unknown): Promise<void> {
  for (const file of ["authpolicies", "rules"]) {
    const text = readFileSync(join(CRDS, `${GROUP}_${file}.yaml`), "utf8");
    const definition = change(load(text.replaceAll(GROUP, OWN_GROUP)));
    await cluster.apply(definition as Manifest);
  }
}

/** A schema as it was before anything was refused. */
function withoutLimits(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutLimits);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name]) => !LIMITS.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutLimits(value)]));
}
const LIMITS = new Set(["enum", "pattern", "maxItems", "x-kubernetes-validations"]);

function patch(object: Manifest, body: object, subresource = ""): Promise<unknown> {
  const path = cluster.path(object) + subresource;
  return cluster.client.call({ method: "PATCH", path, body });
}

function isOurs(document: unknown): document is Manifest {
  if (typeof document !== "object" || document === null) return false;
  const { apiVersion, metadata }: { apiVersion?: unknown; metadata?: unknown } = document;
  return String(apiVersion).startsWith(`${GROUP}/`) && typeof metadata === "object";
}
