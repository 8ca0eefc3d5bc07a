/**
 * Bodies of requests stay out of the run folder, which all namespaces share: what must be held fits into the memory of an upload to a
 * slow backend, and everything else is streamed.
 */
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { Authority } from "../../e2e/harness/certificates.js";
import { Connection } from "../../e2e/harness/http-client.js";
import { Http2Client } from "../../e2e/harness/http2-client.js";
import { useScene } from "../../e2e/harness/scene.js";
import { WayBackend, issue, profilesOf, status } from "../support/backend-ways.js";
import { externalAuth } from "../support/forward-auth.js";
import { LuaGateway, type TestRoute, authPolicy } from "../support/lua-gateway.js";
import { until } from "../support/until.js";
import { workerOf } from "../support/worker-time.js";

const scene = useScene();
const KIB = 1024;
const MIB = 1024 * KIB;
/** The longest body that is held. */
const HELD = 128 * KIB;
const UPLOADS = 8;

const bodyLimit = 10 * MIB;
const retry = { codes: [503], attempts: 2 } as const;
const errorPages = { statuses: [413, 503], upstream: "backend" };
const h2c = [{ upstream: "h2c", weight: 1, protocol: "h2c" }] as const;
const by = (tls: string) => [{ upstream: "secure", weight: 1, protocol: "https", tls }] as const;

const STREAMED: Readonly<Record<string, TestRoute>> = {
  retry: { retry },
  adapted: { backends: by("ca-names") },
  mirrored: {
    mirrors: [{ upstream: "backend", protocol: "http", numerator: 1, denominator: 1 }],
    backends: h2c,
  },
  limit: { bodyLimit },
  "limit-retry": { bodyLimit, retry },
  "limit-deadline": { bodyLimit, deadlines: { request: 60_000 } },
  "limit-pages": { bodyLimit, errorPages },
  "limit-pages-retry": { bodyLimit, errorPages, retry },
  "limit-h2c": { bodyLimit, backends: h2c },
  "limit-h2c-pages": { bodyLimit, errorPages, backends: h2c },
  "limit-h2c-retry": { bodyLimit, retry, backends: h2c },
  "limit-verified": { bodyLimit, backends: by("ca-hostname") },
  "limit-verified-pages": { bodyLimit, errorPages, backends: by("ca-hostname") },
  "limit-adapted": { bodyLimit, backends: by("ca-names") },
};

let gateway: LuaGateway;
const backends: WayBackend[] = [];

beforeAll(async () => {
  const authority = await Authority.create("backends");
  const pair = await issue(authority);
  for (const protocol of ["http", "h2c", "https"] as const) {
    backends.push(await scene.use(WayBackend.start(protocol, pair)));
  }
  const [http, overHttp2, secure] = backends.map(({ port }) => port);
  const external = { ...externalAuth(http ?? 0, "/"), maxBody: HELD };
  gateway = await scene.use(
    LuaGateway.start({
      backend: http ?? 0,
      routes: Object.fromEntries(
        Object.entries({
          ...STREAMED,
          asked: { auth: [authPolicy({ external })] },
          held: { bodyLimit, holdsBody: true as const },
          "held-retry": { bodyLimit, holdsBody: true as const, retry, backends: h2c },
        }).map(([name, route]) => [`${name}.example`, route]),
      ),
      upstreams: [
        { id: "h2c", endpoints: [["127.0.0.1", overHttp2 ?? 0]] },
        { id: "secure", endpoints: [["127.0.0.1", secure ?? 0]] },
      ],
      model: (model) => ({ ...model, backendTls: profilesOf(authority) }),
    }),
  );
});

beforeEach(() => {
  for (const backend of backends) backend.reset();
});

const opened: (Connection | Http2Client)[] = [];

afterEach(async () => {
  for (const connection of opened.splice(0)) void connection.close();
  await until(() => bytesOnDisk() === 0);
});

/** Bytes of bodies in files, those included that have no name any more. */
function bytesOnDisk(): number {
  const folder = `/proc/${workerOf(gateway.nginx.pid) ?? ""}/fd`;
  return readdirSync(folder)
    .map((fd) => `${folder}/${fd}`)
    .filter((link) => pathOf(link).includes("/client_body/"))
    .reduce((sum, link) => sum + statSync(link).size, 0);
}

function pathOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

const arrived = () => backends.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);

interface Upload {
  /** Sends the last byte. */
  readonly finish: () => Promise<number>;
}

interface Way {
  readonly http2: boolean;
  readonly told: boolean;
}

const WAYS: readonly Way[] = [false, true].flatMap((http2) =>
  [true, false].map((told) => ({ http2, told })),
);
const TABLE = WAYS.map((way) => {
  const { http2, told } = way;
  return [`HTTP/${http2 ? "2" : "1.1"} ${told ? "with" : "without"} a length`, way] as const;
});

/** A request all of whose body has been sent but for the last byte. */
async function upload(host: string, size: number, { http2, told }: Way): Promise<Upload> {
  const most = Buffer.alloc(size - 1, "x");
  if (http2) {
    const client = await Http2Client.open(gateway.target());
    opened.push(client);
    const length = told ? { "content-length": String(size) } : {};
    const head = { ":method": "POST", ":path": "/", ":authority": host, ...length };
    const stream = client.begin(head);
    const answer = new Promise<number>((resolve, reject) => {
      stream.on("response", (headers) => resolve(Number(headers[":status"])));
      stream.on("error", reject);
    });
    stream.write(most);
    return { finish: async () => (stream.end("x"), answer) };
  }
  const connection = await Connection.open(gateway.target());
  opened.push(connection);
  const framing = told
    ? `Content-Length: ${size}\r\n\r\n`
    : `Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n`;
  connection.write(`POST / HTTP/1.1\r\nHost: ${host}\r\n${framing}`);
  connection.write(most);
  return {
    finish: async () => {
      connection.write(told ? "x" : "x\r\n0\r\n\r\n");
      return (await connection.receive()).status;
    },
  };
}

const uploads = (host: string, size: number, way: Way): Promise<readonly Upload[]> =>
  Promise.all(Array.from({ length: UPLOADS }, () => upload(`${host}.example`, size, way)));

describe.each(TABLE)("bodies by %s", (_, way) => {
  it.each(Object.keys(STREAMED))("are not written to disk: %s", async (host) => {
    const all = await uploads(host, MIB, way);
    await until(() => bytesOnDisk() > 0 || arrived() === UPLOADS * (MIB - 1));
    expect(bytesOnDisk()).toBe(0);
    const answers = await Promise.all(all.map(({ finish }) => finish()));
    expect(answers).toEqual(answers.map(() => 200));
    expect(arrived()).toBe(UPLOADS * MIB);
  });

  it.each(["retry", "adapted", "limit-h2c", "mirrored", "asked", "held"])(
    "are held in memory: %s",
    async (host) => {
      const all = await uploads(host, HELD, way);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(bytesOnDisk()).toBe(0);
      const answers = await Promise.all(all.map(({ finish }) => finish()));
      expect(answers).toEqual(answers.map(() => 200));
    },
  );
});

it("a body in the smallest chunks takes no more of the disk than is held", async () => {
  const chunks = "1\r\nx\r\n".repeat(HELD - 1);
  const connections = await Promise.all(
    ["asked", "held", "held-retry"].map(async (host) => {
      const connection = await Connection.open(gateway.target());
      const head = `POST / HTTP/1.1\r\nHost: ${host}.example\r\nTransfer-Encoding: chunked\r\n\r\n`;
      connection.write(`${head}${chunks}`);
      return connection;
    }),
  );
  await until(() => bytesOnDisk() > 0);
  expect(bytesOnDisk()).toBeLessThanOrEqual(connections.length * HELD);
  const [, overHttp2] = backends;
  overHttp2?.reset(status(503), status(200));
  for (const connection of connections) connection.write("1\r\nx\r\n0\r\n\r\n");
  const answers = [];
  for (const connection of connections) {
    answers.push((await connection.receive()).status);
    connection.close();
  }
  // Before 1.29.5 nginx garbles the copy of a body that it had to put into a file, so it makes none.
  const received = overHttp2?.received.map(({ body }) => body.length) ?? [];
  expect(answers).toEqual([200, 200, received.length === 2 ? 200 : 503]);
  expect(new Set(received)).toEqual(new Set([HELD]));
});

it.each(TABLE)("what must be held by %s is not longer", async (_, way) => {
  const answers = await Promise.all(
    ["asked", "held"].map(async (host) => {
      const { finish } = await upload(`${host}.example`, HELD + 1, way);
      return finish();
    }),
  );
  // With a length the limit of the route is known to hold.
  expect(answers).toEqual([413, way.told ? 200 : 413]);
});

it("200 bodies of ordinary size at once are all repeated", async () => {
  const [backend] = backends;
  const seen = new Set<unknown>();
  backend?.reset((response, received) => {
    const id = received.headers["x-request-id"];
    status(seen.has(id) ? 200 : 503)(response, received);
    seen.add(id);
  });
  const body = "x".repeat(100 * KIB);
  const answers = await Promise.all(
    Array.from({ length: 200 }, () =>
      gateway.send({ host: "retry.example", method: "POST", body }),
    ),
  );
  expect(answers.filter((each) => each.status !== 200)).toEqual([]);
  expect(backend?.received.length).toBe(400);
  expect(new Set(backend?.received.map((each) => each.body.length))).toEqual(new Set([100 * KIB]));
});
