import { mkdirSync, symlinkSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text as readStream } from "node:stream/consumers";
import { ControlClient, ControlError } from "../../../src/output/control-client.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
let server: Server | undefined;
let heard = "";

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)));
  server = undefined;
});

/** Something behind the control socket of a run folder that gives the answer to all requests. */
async function answering(
  status: number,
  body: string,
  { runFolder = folder(), timeout = 10_000 } = {},
): Promise<ControlClient> {
  mkdirSync(join(runFolder, "control"), { recursive: true });
  server = createServer((request, response) => void listen(request, response, status, body));
  // Bound by a path relative to the working folder, as nginx does it, because the absolute one may be too long.
  const here = process.cwd();
  process.chdir(runFolder);
  try {
    await new Promise<void>((resolve) => server?.listen("control/control.sock", resolve));
  } finally {
    process.chdir(here);
  }
  return new ControlClient(runFolder, { timeout });
}

async function listen(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string,
): Promise<void> {
  heard = `${request.method ?? ""} ${request.url ?? ""}\n${await readStream(request)}`;
  if (status !== 0) response.writeHead(status).end(body);
}

test.each([
  [200, '{"version":"v2"}', { kind: "accepted" }],
  [409, '{"version":"v0"}', { kind: "conflict" }],
  [422, '{"error":"line 2: unknown map"}', { kind: "refused", reason: "line 2: unknown map" }],
  [507, '{"error":"no memory"}', { kind: "refused", reason: "no memory" }],
  [507, "<html>", { kind: "refused", reason: "without a reason" }],
])("a policy answered with %d %s is %j", async (status, body, outcome) => {
  const client = await answering(status, body);
  expect(await client.put("albc-policy 1 v1 v2\n")).toEqual(outcome);
  expect(heard).toBe("PUT /policy\nalbc-policy 1 v1 v2\n");
});

test("the status is read", async () => {
  const status = {
    version: "v1",
    expected: 2,
    workers: [{ pid: 7, generation: 1, version: "v1" }],
    out: [{ upstream: "shop/web/80", endpoint: "10.0.0.1:80", reason: "closed_early", since: 1.5 }],
  };
  const client = await answering(200, JSON.stringify({ ...status, format: 1 }));
  expect(await client.status()).toEqual(status);
  expect(heard).toBe("GET /status\n");
});

test.each([
  [500, "{}"],
  [200, "no JSON"],
  [200, "null"],
  [200, '{"version":"v1","expected":1}'],
  [200, '{"version":"v1","expected":1,"workers":[{"pid":"7"}]}'],
])("the answer %d %s is no status", async (status, body) => {
  const client = await answering(status, body);
  await expect(client.status()).rejects.toThrow(ControlError);
});

test("another answer to a policy is an error", async () => {
  const client = await answering(404, "{}");
  await expect(client.put("x")).rejects.toThrow("the data plane answered 404 to a policy");
});

test("silence is an error after the time limit", async () => {
  const client = await answering(0, "", { timeout: 300 });
  await expect(client.status()).rejects.toThrow(
    "the data plane can't be reached: no answer within 300 ms",
  );
});

test("a link in the place of the socket is not followed", async () => {
  await answering(200, '{"version":"v1","expected":0,"workers":[]}');
  const other = join(folder(), "other");
  mkdirSync(join(other, "control"), { recursive: true });
  symlinkSync(join(folder(), "control/control.sock"), join(other, "control/control.sock"));
  await expect(new ControlClient(other).status()).rejects.toThrow(ControlError);
});

test("an answer without an end is given up", async () => {
  const client = await answering(200, " ".repeat(5 * 1024 * 1024));
  await expect(client.status()).rejects.toThrow("its answer is too long");
});

test.each([
  [200, undefined],
  [500, "nginx can't reload itself: not allowed"],
])("a reload that is answered with %d", async (status, message) => {
  const client = await answering(status, '{"error":"not allowed"}');
  const asked = client.reload();
  if (message === undefined) await asked;
  else await expect(asked).rejects.toThrow(message);
  expect(heard).toBe("POST /reload\n");
});

test("a folder whose path is too long for a socket is no problem", async () => {
  const long = join(folder(), ...Array<string>(4).fill("a".repeat(40)));
  const client = await answering(200, '{"version":"v1","expected":0,"workers":[]}', {
    runFolder: long,
  });
  expect(Buffer.byteLength(join(long, "control/control.sock"))).toBeGreaterThan(108);
  expect((await client.status()).version).toBe("v1");
});

test.each(["short", "a".repeat(150)])("nobody there is an error", async (name) => {
  await expect(new ControlClient(join(folder(), name)).status()).rejects.toThrow(ControlError);
});
