import { apr1, basic } from "../harness/htpasswd.js";
import { freePort } from "../harness/free-port.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster } from "./cluster.js";
import { echoServer } from "./echo-server.js";
import { Replica } from "./replica.js";

const CLASS = "serving-test";

const scene = new Scene();
let cluster: Cluster;
let albc: Replica;
beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
  for (const object of echoServer(cluster.namespace, "echo")) await cluster.apply(object);
  albc = await scene.use(Replica.start({ namespace: cluster.namespace }));
}, 60_000);
afterAll(() => scene.close(), 60_000);

function named(name: string, annotations = {}) {
  return { name, namespace: cluster.namespace, annotations };
}

async function users(password: string) {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: named("users"),
    stringData: { auth: `jane:${await apr1(password)}\n` },
  };
}

function ingress(name: string, host: string, annotations = {}) {
  const backend = { service: { name: "echo", port: { number: 80 } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: named(name, annotations),
    spec: { rules: [{ host, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }] },
  };
}

/** Authorization header. */
function as(password: string): readonly (readonly [string, string])[] {
  return [["Authorization", basic("jane", password)]];
}

test("an Ingress is served by pods, and one that comes late too", async () => {
  await cluster.apply(ingress("plain", "plain.example"));
  const answer = await albc.until(
    "the pods answer",
    { host: "plain.example" },
    ({ status }) => status === 200,
  );
  expect(JSON.parse(answer.text)).toMatchObject({ namespace: cluster.namespace });
});

test("basic auth follows its Secret: late, changed, gone", async () => {
  const annotations = {
    "nginx.ingress.kubernetes.io/auth-type": "basic",
    "nginx.ingress.kubernetes.io/auth-secret": "users",
  };
  await cluster.apply(ingress("closed", "closed.example", annotations));
  const host = "closed.example";
  await albc.until("it is closed without the secret", { host }, ({ status }) => status === 503);

  await cluster.apply(await users("first"));
  const jane = (password: string) => ({ host, headers: as(password) });
  await albc.until("jane may pass", jane("first"), ({ status }) => status === 200);
  expect((await albc.send({ host })).status).toBe(401);

  await cluster.apply(await users("second"));
  await albc.until("the old password is refused", jane("first"), ({ status }) => status === 401);
  expect((await albc.send(jane("second"))).status).toBe(200);

  await cluster.remove(await users("second"));
  await albc.until("it is closed again", jane("second"), ({ status }) => status === 503);
});

test("pods that come are used without a reload", async () => {
  await cluster.apply(ingress("scaled", "scaled.example"));
  await albc.until("it is served", { host: "scaled.example" }, ({ status }) => status === 200);
  const workers = (await albc.status()).workers.map(({ pid }) => pid);
  const seen = new Set<unknown>();
  for (const object of echoServer(cluster.namespace, "echo", 3)) await cluster.apply(object);
  await waitFor("three pods have answered", async () => {
    const { text } = await albc.send({ host: "scaled.example" });
    seen.add((JSON.parse(text) as { pod: unknown }).pod);
    return seen.size >= 3;
  });
  expect((await albc.status()).workers.map(({ pid }) => pid)).toEqual(workers);
});

test("a Gateway with auth is served, and the statuses say so when it is", async () => {
  const port = await freePort();
  await cluster.apply({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name: CLASS },
    spec: { controllerName: "alb.cpaas.io/gateway-controller" },
  });
  await cluster.apply({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: named("edge"),
    spec: { gatewayClassName: CLASS, listeners: [{ name: "http", port, protocol: "HTTP" }] },
  });
  const route = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: named("app"),
    spec: {
      parentRefs: [{ name: "edge" }],
      hostnames: ["app.example"],
      rules: [{ backendRefs: [{ name: "echo", port: 80 }] }],
    },
  };
  await cluster.apply(route);
  await waitFor("the route is accepted", async () =>
    JSON.stringify(await cluster.get(route)).includes('"reason":"Accepted"'),
  );
  expect((await albc.send({ host: "app.example" }, port)).status).toBe(200);

  await cluster.apply(await users("third"));
  await cluster.apply({
    apiVersion: "crd.alauda.io/v1alpha1",
    kind: "AuthPolicy",
    metadata: named("login"),
    spec: {
      targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" }],
      basic: { secret: `${cluster.namespace}/users`, secret_type: "auth-file", realm: "edge" },
    },
  });
  const host = "app.example";
  await albc.until("it asks for a login", { host, port }, ({ status }) => status === 401);
  expect((await albc.send({ host, headers: as("third") }, port)).status).toBe(200);
});

test("what is wrong with an object is told by an Event on it", async () => {
  const broken = ingress("broken", "broken.example", {
    "nginx.ingress.kubernetes.io/auth-type": "digest",
  });
  await cluster.apply(broken);
  const path = `/api/v1/namespaces/${cluster.namespace}/events`;
  const query = { fieldSelector: "involvedObject.name=broken" };
  await waitFor("there is an event", async () =>
    JSON.stringify(await cluster.client.call({ path, query })).includes("auth-type"),
  );
});
