/** ALB2, Frontend and Rule, and the annotations of Ingresses for auth, as objects of a real API server. */
import { createServer } from "node:http";
import { freePort, listen } from "../harness/free-port.js";
import { apr1, basic } from "../harness/htpasswd.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster, type Manifest } from "./cluster.js";
import { endpointSlice, localAddress, localBackend, serviceOf } from "./local-backends.js";
import { ingressOf } from "./objects.js";
import { Pod } from "./pod.js";

const scene = new Scene();
let cluster: Cluster;
let pod: Pod;
let port: number;
beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
  const { namespace } = cluster;
  const backend = await scene.use(localBackend("web"));
  port = await freePort();
  await cluster.apply(serviceOf(named("web")));
  await cluster.apply(endpointSlice(named("web"), [backend.address]));
  await cluster.apply(await users("secret"));
  pod = await scene.use(Pod.start({ namespace }));
}, 60_000);
afterAll(() => scene.close(), 60_000);

function named(name: string) {
  return { name, namespace: cluster.namespace };
}

async function users(password: string): Promise<Manifest> {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: named("users"),
    stringData: { auth: `jane:${await apr1(password)}\n` },
  };
}

function as(password: string): readonly (readonly [string, string])[] {
  return [["Authorization", basic("jane", password)]];
}

function alb(): Manifest {
  const config = { projects: ["ALL_ALL"], ingressHTTPPort: pod.port, ingressHTTPSPort: 0 };
  return {
    apiVersion: "crd.alauda.io/v2",
    kind: "ALB2",
    metadata: named("edge"),
    spec: { type: "nginx", config },
  };
}

function group(service: string) {
  return {
    services: [{ name: service, namespace: cluster.namespace, port: 80, weight: 100 }],
  };
}

function frontend(annotations = {}): Manifest {
  return {
    apiVersion: "crd.alauda.io/v1",
    kind: "Frontend",
    metadata: { ...named("edge-00080"), labels: { "alb2.cpaas.io/name": "edge" }, annotations },
    spec: { port, protocol: "http", serviceGroup: group("web") },
  };
}

function rule(name: string, path: string, config = {}): Manifest {
  const labels = { "alb2.cpaas.io/name": "edge", "alb2.cpaas.io/frontend": "edge-00080" };
  return {
    apiVersion: "crd.alauda.io/v1",
    kind: "Rule",
    metadata: { ...named(name), labels },
    spec: {
      priority: 5,
      config,
      dslx: [{ type: "URL", values: [["STARTS_WITH", path]] }],
      serviceGroup: group("web"),
    },
  };
}

const ok = ({ status }: { readonly status: number }) => status === 200;

test("a Frontend's port is opened, a Rule's path asks for its login, and both go again", async () => {
  await cluster.apply(alb());
  await cluster.apply(frontend());
  await pod.until("the port is served", { host: "x", port }, ok);
  const secret = `${cluster.namespace}/users`;
  const auth = { basic: { realm: "closed", secret, secret_type: "auth-file" } };
  await cluster.apply(rule("closed", "/closed", { auth }));
  const closed = { host: "x", path: "/closed", port };
  await pod.until("the rule asks", closed, ({ status }) => status === 401);
  expect((await pod.send({ ...closed, headers: as("secret") }, port)).status).toBe(200);
  expect((await pod.send({ host: "x", path: "/open" }, port)).status).toBe(200);

  await cluster.apply(await users("other"));
  const stale = { ...closed, headers: as("secret") };
  await pod.until("the old password is refused", stale, ({ status }) => status === 401);
  await cluster.remove(rule("closed", "/closed"));
  await pod.until("the rule is gone", closed, ok);
  await cluster.remove(frontend());
  await waitFor("the port is closed", async () =>
    pod.send({ host: "x" }, port).then(
      () => false,
      () => true,
    ),
  );
});

test("the status of an ALB2 says that it is served, and what others write there stays", async () => {
  const statusOf = async () =>
    ((await cluster.get(alb())) as { readonly status?: Record<string, unknown> }).status ?? {};
  await waitFor("it is running", async () => (await statusOf())["state"] === "Running");
  await cluster.client.call({
    method: "PATCH",
    path: `${cluster.path(alb())}/status`,
    body: { status: { probeTime: 7, state: "Warning" } },
  });
  await waitFor("it is running again", async () => (await statusOf())["state"] === "Running");
  expect(await statusOf()).toMatchObject({ probeTime: 7 });
});

test("a Rule that is wrong costs itself alone, and an Event says so", async () => {
  await cluster.apply(frontend());
  await cluster.apply(rule("good", "/good"));
  await cluster.apply({
    ...rule("bad", "/bad"),
    spec: {
      priority: 5,
      dslx: [{ type: "URL", values: [["REGEX", "/("]] }],
      serviceGroup: group("web"),
    },
  });
  await pod.until("the good one is served", { host: "x", path: "/good", port }, ok);
  const path = `/api/v1/namespaces/${cluster.namespace}/events`;
  const query = { fieldSelector: "involvedObject.name=bad,involvedObject.kind=Rule" };
  await waitFor("there is an event", async () => {
    const list = (await cluster.client.call({ path, query })) as { readonly items: unknown[] };
    return list.items.length > 0;
  });
});

test("an auth URL decides who gets in: all, nobody, and nobody when it is away", async () => {
  let verdict = 200;
  const auth = createServer((_, response) => response.writeHead(verdict).end());
  const address = localAddress();
  const authPort = await listen(auth, { host: address });
  await scene.use(
    Promise.resolve({
      close: async () => {
        auth.closeAllConnections();
        await new Promise((resolve) => auth.close(resolve));
      },
    }),
  );
  const url = {
    "nginx.ingress.kubernetes.io/auth-url": `http://${address}:${String(authPort)}/ask`,
  };
  const asked = ingressOf({ ...named("asked"), annotations: url }, "asked.example", "web");
  await cluster.apply(asked);
  const host = "asked.example";
  await pod.until("it is let in", { host }, ok);
  verdict = 403;
  expect((await pod.send({ host })).status).toBe(403);
  auth.closeAllConnections();
  await new Promise((resolve) => auth.close(resolve));
  expect((await pod.send({ host })).status).toBe(500);
});
