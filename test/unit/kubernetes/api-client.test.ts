import { createServer } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { selfSigned } from "../../../e2e/harness/certificates.js";
import { listen } from "../../../e2e/harness/free-port.js";
import { ApiClient } from "../../../src/kubernetes/api-client.js";

test("a call with a deadline waits for no connection of others, and not for ever", async () => {
  const { key, certificate: cert } = await selfSigned("localhost");
  let hanging = 0;
  const server = createServer({ key, cert }, ({ url }, answer) => {
    if (url === "/lease") answer.end("{}");
    else hanging += 1;
  });
  const port = await listen(server, { host: "127.0.0.1" });
  const config = new KubeConfig();
  const cluster = { server: `https://127.0.0.1:${String(port)}`, skipTLSVerify: true };
  config.loadFromClusterAndUser({ name: "c", ...cluster }, { name: "u" });
  const client = new ApiClient(config);
  const others = Array.from({ length: 20 }, () =>
    client.call({ method: "PATCH", path: "/status" }).catch(() => "broken off"),
  );
  try {
    expect(await client.call({ path: "/lease", deadline: 5000 })).toEqual({});
    await expect(client.call({ path: "/hangs", deadline: 200 })).rejects.toThrow(
      /can't be reached/,
    );
    // Those that have a connection, and the last.
    expect(hanging).toBeLessThanOrEqual(9);
  } finally {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await Promise.all(others);
    client.close();
    await closed;
  }
});
