/** nginx takes every configuration that options can make, as its runner would start it. */
import { makeRunFolder } from "../../../src/output/run-folder.js";
import { writeFiles } from "../../../src/output/files.js";
import { LOG_FIELDS } from "../../../src/model/log-fields.js";
import type { DataPlaneOptions } from "../../../src/model/options.js";
import { freePort } from "../../support/free-port.js";
import {
  configOf,
  EMPTY_CONFIG,
  HTTP_SERVER,
  TLS_SERVER,
} from "../../support/data-plane-config.js";
import { filesOf, makeProcess, testBinary } from "../../support/run-folder.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

test.each<Partial<DataPlaneOptions>>([
  {},
  { ipv6: false },
  { accessLog: "stdout" },
  { accessLogFields: LOG_FIELDS.map(({ name }) => name), nginxLogLevel: "info" },
  { accessLogFormat: "combined", nginxLogLevel: "crit" },
  { accessLogFormat: "upstreaminfo" },
  { accessLog: "logs/a file with blanks; and {braces}" },
  { workers: 1, drainTimeout: 0, bodyLimit: 1 },
  { trustedProxies: ["10.0.0.0/8", "192.0.2.1", "fd00::/8", "::1"] },
  { proxyProtocol: true },
  { proxyProtocol: true, trustedProxies: ["10.0.0.0/8"] },
])("nginx -t takes %j", async (dataPlane) => {
  const run = await makeRunFolder(folder());
  const ports = [await freePort(), await freePort()];
  const servers = [HTTP_SERVER, TLS_SERVER].map((server, i) => ({
    ...server,
    port: ports[i] ?? 0,
  }));
  // nginx reads the authorities of backends, and those of the fixture are none.
  const config = { ...configOf((field) => field), servers, backendTls: [] };
  await writeFiles(run, await filesOf(config, dataPlane));
  await makeProcess(await testBinary(), run).nginx.test(run);
});

test("nginx -t takes a configuration without a server", async () => {
  const run = await makeRunFolder(folder());
  await writeFiles(run, await filesOf(EMPTY_CONFIG));
  await makeProcess(await testBinary(), run).nginx.test(run);
});
