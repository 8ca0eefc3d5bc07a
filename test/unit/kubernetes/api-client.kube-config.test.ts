import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "../../../e2e/harness/free-port.js";
import { ApiClient, loadKubeConfig } from "../../../src/kubernetes/api-client.js";

const folder = mkdtempSync(join(tmpdir(), "albc-kubeconfig-"));
const before = process.env["KUBECONFIG"];
afterAll(() => {
  if (before === undefined) delete process.env["KUBECONFIG"];
  else process.env["KUBECONFIG"] = before;
  rmSync(folder, { recursive: true });
});

async function load(cluster: object) {
  const file = join(folder, "kubeconfig");
  process.env["KUBECONFIG"] = file;
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  };
  writeFileSync(file, JSON.stringify(config));
  return (await loadKubeConfig()).config;
}

test("an http:// server is refused with advice", async () => {
  await expect(load({ server: "http://127.0.0.1:1" })).rejects.toThrow(
    /http:\/\/127.0.0.1:1 is not encrypted: give an https:\/\/ server, or set insecure-skip-tls-verify/,
  );
});

test("an http:// server that may be asked in the clear is asked", async () => {
  const server = createServer((_, answer) => answer.end('{"kind":"APIVersions"}'));
  const port = await listen(server, { host: "127.0.0.1" });
  const url = `http://127.0.0.1:${String(port)}`;
  const client = new ApiClient(await load({ server: url, "insecure-skip-tls-verify": true }));
  try {
    expect(await client.call({ path: "/api" })).toEqual({ kind: "APIVersions" });
  } finally {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
