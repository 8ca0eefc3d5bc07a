import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import {
  NginxRefused,
  loadLimit,
  poll,
  refuseBlocked,
  sidecar,
} from "../../../src/output/reloader.js";
import { listen } from "../../../e2e/harness/free-port.js";
import { useTempFolder } from "../../support/temp-folder.js";

const temp = useTempFolder();

test("poll ends as soon as the condition holds, at the limit, or at the signal", async () => {
  let checks = 0;
  expect(await poll(() => ++checks === 3, { limit: 10_000 })).toBe(true);
  expect(await poll(() => false, { limit: 0 })).toBe(false);
  expect(await poll(() => false, { limit: 10_000, signal: AbortSignal.abort() })).toBe(false);
});

test("a large nginx.conf has more time to be loaded", async () => {
  const folder = temp();
  const small = await loadLimit(folder);
  writeFileSync(join(folder, "nginx.conf"), "#".repeat(3_500_000));
  expect((await loadLimit(folder)) - small).toBe(3000);
});

test("a port on all addresses instead of on one needs two reloads", () => {
  const blocked = (): void => {
    refuseBlocked(["80"], ["10.0.0.1:80"]);
  };
  expect(blocked).toThrow(
    new NginxRefused("80: nginx itself listens there on other addresses until it is reloaded"),
  );
  refuseBlocked(["80", "81"], ["80"]);
});

function staged(folder: string, port: number): string {
  const stage = join(folder, "stage");
  mkdirSync(stage, { recursive: true });
  writeFileSync(join(stage, "nginx.conf"), `    listen 0.0.0.0:${String(port)};\n`);
  return stage;
}

test("an nginx of others gets no port that another process has", async () => {
  const server = createServer();
  const port = await listen(server, { host: "0.0.0.0" });
  const nginx = sidecar({ kind: "command", command: "true" }, temp());
  try {
    const refused = await nginx.test(staged(temp(), port)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NginxRefused);
    expect(refused).toMatchObject({ unavailablePorts: [String(port)] });
    // nginx itself may be the process that has it.
    writeFileSync(join(temp(), "nginx.conf"), `    listen 0.0.0.0:${String(port)};\n`);
    await nginx.test(staged(temp(), port));
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test("it is reloaded by the command, whose failure is told", async () => {
  const file = join(temp(), "reloads");
  const reload = (command: string) =>
    sidecar({ kind: "command", command }, temp()).reload(() => Promise.resolve(true));
  await reload(`echo once >> '${file}'`);
  expect(readFileSync(file, "utf8")).toBe("once\n");
  await expect(reload("echo no pod >&2; exit 3")).rejects.toThrow(
    new NginxRefused("the reload command ended with status 3: no pod"),
  );
});

test("without an nginx at the control socket, it is a trouble of the machine", async () => {
  const nginx = sidecar({ kind: "control", folder: temp() }, temp());
  await expect(nginx.reload(() => Promise.resolve(true))).rejects.toThrow("can't be reached");
});
