/** Headers by HTTP/2 that cost a client little and a worker much. docs/security.md has the figures. */
import { connect } from "node:http2";
import { once } from "node:events";
import { EchoBackend } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { ingress, service, yaml } from "../harness/manifests.js";
import { residentMemory } from "../harness/processes.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const HOST = "web.example";
const MIB = 1024 * 1024;
const STREAMS = 128;
let gateway: Gateway;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const manifests = yaml(
    service("web", [{ port: backend.port }]),
    ingress("web", { hosts: { [HOST]: [{ service: "web" }] } }),
  );
  gateway = await scene.use(Gateway.start({ files: { "web.yaml": manifests } }));
});

async function memory(): Promise<number> {
  const all = await Promise.all((await gateway.workerPids()).map(residentMemory));
  return all.reduce((sum, bytes) => sum + bytes, 0);
}

/** MiB that all workers grow by while one connection holds as many requests as it may, with so many small headers each. */
async function held(headers: number): Promise<{ grown: number; statuses: Record<string, number> }> {
  const before = await memory();
  const session = connect(`http://127.0.0.1:${String(gateway.httpPort)}`, {
    // No answer's body can be sent, so each request stays.
    settings: { initialWindowSize: 0 },
    maxSendHeaderBlockLength: MIB,
  });
  session.on("error", () => undefined);
  await once(session, "connect");
  const statuses: Record<string, number> = {};
  await Promise.all(
    Array.from({ length: STREAMS }, async () => {
      const many = Object.fromEntries([["a", Array.from({ length: headers }, () => "")]]);
      const stream = session.request({ ":authority": HOST, ...many });
      stream.on("error", () => undefined);
      const [got] = (await once(stream, "response").catch(() => [{}])) as [Record<string, number>];
      const status = String(got[":status"]);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }),
  );
  const grown = ((await memory()) - before) / MIB;
  session.destroy();
  return { grown, statuses };
}

test("one connection holds a bounded part of a worker's memory, and more headers are refused", async () => {
  const few = await held(900);
  expect(few.statuses).toEqual({ 200: STREAMS });
  expect(few.grown).toBeLessThan(32);
  const many = await held(2000);
  expect(many.statuses).toEqual({ 431: STREAMS });
  expect(many.grown).toBeLessThan(32);
  expect((await gateway.send({ host: HOST })).status).toBe(200);
});
