import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { readCluster } from "../../../src/cli/cluster.js";
import { runDiff } from "../../../src/cli/diff.js";
import { resolveSettings } from "../../../src/cli/settings.js";
import { runValidate } from "../../../src/cli/validate.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
const before = process.env["KUBECONFIG"];
let server: Server;

const ANNOTATION = "nginx.ingress.kubernetes.io/auth-url";
const ingress = (annotations: object): object => ({
  metadata: { name: "web", namespace: "shop", annotations },
  spec: {
    ingressClassName: "nginx",
    defaultBackend: { service: { name: "web", port: { number: 80 } } },
  },
});
const ANSWERS: Readonly<Record<string, unknown>> = {
  "/api/v1": { resources: [{ name: "services" }, { name: "secrets" }] },
  "/apis/networking.k8s.io/v1": { resources: [{ name: "ingresses" }] },
  "/api/v1/services": {
    metadata: { resourceVersion: "1" },
    items: [{ metadata: { name: "web", namespace: "shop" }, spec: { ports: [{ port: 80 }] } }],
  },
  "/apis/networking.k8s.io/v1/ingresses": {
    metadata: { resourceVersion: "1" },
    items: [ingress({ [ANNOTATION]: "http://auth.example/check" })],
  },
};

async function serve(answers: Readonly<Record<string, unknown>>): Promise<void> {
  server = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://api");
    // A watch without events.
    if (searchParams.has("watch")) return;
    const answer = answers[pathname];
    response.statusCode = answer === undefined ? 404 : answer === 403 ? 403 : 200;
    response.end(JSON.stringify(answer === 403 ? { message: "forbidden" } : (answer ?? {})));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const config = join(folder(), "config");
  writeFileSync(
    config,
    JSON.stringify({
      "current-context": "test",
      contexts: [{ name: "test", context: { cluster: "test", user: "", namespace: "shop" } }],
      clusters: [
        {
          name: "test",
          cluster: { server: `http://127.0.0.1:${String(port)}`, "insecure-skip-tls-verify": true },
        },
      ],
    }),
  );
  process.env["KUBECONFIG"] = config;
}

const settings = resolveSettings({ flags: {}, variables: {} });
const call = { paths: [], kubernetes: true, config: undefined, flags: {} };

function terminal(said: string[]) {
  return {
    write: (text: string) => void said.push(text),
    writeError: (text: string) => void said.push(text),
    progress: () => undefined,
    colours: false,
    variables: {},
    readInput: () => Promise.resolve(""),
  };
}

const SECRETS = "/api/v1/namespaces/shop/secrets";
const EMPTY = { metadata: { resourceVersion: "1" }, items: [] };

afterEach(() => {
  server.closeAllConnections();
  server.close();
  if (before === undefined) delete process.env["KUBECONFIG"];
  else process.env["KUBECONFIG"] = before;
});

test("the objects of the cluster are read once", async () => {
  await serve({ ...ANSWERS, [SECRETS]: EMPTY });
  const { objects, options } = await readCluster(settings, {});
  expect(objects.map(({ kind, metadata: { name } }) => `${String(kind)} ${name}`).sort()).toEqual([
    "Ingress web",
    "Service web",
  ]);
  expect(options).toMatchObject({ ingressWithoutClass: false, secretNamespaces: ["shop"] });
  const said: string[] = [];
  const status = await runValidate(
    {
      ...{ ...call, command: "validate", format: "text", failOn: "error", ignore: [] },
      ...{
        requireObjects: false,
        assumeReferences: false,
        baseline: undefined,
        writeBaseline: undefined,
      },
    },
    settings,
    terminal(said),
  );
  expect(status).toBe(0);
  expect(said.join("")).toMatch(/^the cluster, 2 objects: /m);
});

test("a kind that can't be read is an error", async () => {
  await serve({ ...ANSWERS, [SECRETS]: 403 });
  await expect(readCluster(settings, {})).rejects.toThrow(
    "the cluster's objects of Secret can't be read: GET /api/v1/namespaces/shop/secrets: 403 forbidden",
  );
});

test("a diff with the cluster applies the manifests to it", async () => {
  await serve({ ...ANSWERS, [SECRETS]: EMPTY });
  const now = join(folder(), "now.json");
  writeFileSync(
    now,
    JSON.stringify({ apiVersion: "networking.k8s.io/v1", kind: "Ingress", ...ingress({}) }),
  );
  const said: string[] = [];
  const diffCall = {
    ...call,
    ...({ command: "diff", before: undefined, now, format: "text" } as const),
    failOn: ["authLost"] as const,
  };
  expect(await runDiff(diffCall, settings, terminal(said))).toBe(1);
  expect(said.join("")).toContain("auth is lost (1)");
  expect(said.join("")).toContain("before: 2 objects");
  expect(said.join("")).toContain("now:    2 objects");
});
