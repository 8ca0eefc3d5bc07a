/**
 * Requests of a tenant never reach another tenant's backend, whatever backends and clients do to connections. Each tenant has backends
 * of its own, and all share one address where the server name decides whose backend answers, as behind another gateway.
 */
import { createServer, type TLSSocket } from "node:tls";
import { Authority } from "../../../e2e/harness/certificates.js";
import { Connection, formatRequest } from "../../../e2e/harness/http-client.js";
import { listen } from "../../../e2e/harness/free-port.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { BackendTls } from "../../../src/model/upstream.js";
import { fc, runs, timeoutOf } from "../../support/fast-check.js";
import { LuaGateway, type TestRoute } from "../../support/lua-gateway.js";
import { until } from "../../support/until.js";

const scene = useScene();
const TENANTS = ["a", "b", "c"] as const;
/** How a tenant's backends are spoken to. */
const WAYS = ["tls", "verified", "named"] as const;
const PLACES = ["own", "shared"] as const;

type Tenant = (typeof TENANTS)[number];

/** What a backend answers; `true`: it closes the connection afterwards. */
const ANSWERS: readonly (readonly [string, boolean])[] = [
  ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false],
  ["HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", false],
  ["HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=600\r\n\r\n", true],
  [
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    false,
  ],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false],
  ["HTTP/1.1 304 Not Modified\r\nConnection: keep-alive\r\n\r\n", false],
  ["HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", true],
  [
    "HTTP/1.1 503 Service Unavailable\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
    false,
  ],
  ["no HTTP\r\n\r\n", true],
];

const CLIENTS = ["get", "post", "upgrade", "head", "leaves", "twice"] as const;

interface Step {
  readonly tenant: Tenant;
  readonly way: (typeof WAYS)[number];
  readonly place: (typeof PLACES)[number];
  readonly client: (typeof CLIENTS)[number];
  readonly mirrored: boolean;
  readonly answer: number;
  readonly reloads: boolean;
}

let gateway: LuaGateway;
let answer: (typeof ANSWERS)[number] = ANSWERS[0] ?? ["", true];
/** Requests by the tenant whose backend got them, and their tags. */
const arrived: [Tenant, string][] = [];

const nameOf = (tenant: Tenant) => `${tenant}.inner.example`;
const hostOf = ({ tenant, way, place, mirrored }: Omit<Step, "client" | "answer" | "reloads">) =>
  `${mirrored ? "mirror" : "front"}-${way}-${place}.${tenant}.inner.example`;

async function startBackend(
  authority: Authority,
  tenantOf: (servername: string) => Tenant,
): Promise<number> {
  const pair = await authority.issue(
    ...TENANTS.map(nameOf),
    ...TENANTS.map((tenant) => `*.${nameOf(tenant)}`),
  );
  const sockets = new Set<TLSSocket>();
  const server = createServer({ cert: pair.certificate, key: pair.key }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let text = "";
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        const tag = /^x-tag: (.*)$/im.exec(text.slice(0, end))?.[1]?.trim() ?? "";
        const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, end))?.[1] ?? 0);
        text = text.slice(end + 4 + length);
        arrived.push([tenantOf(String(socket.servername)), tag]);
        const [words, closes] = answer;
        if (closes) socket.end(words);
        else socket.write(words);
      }
    });
  });
  const port = await listen(server);
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  await scene.use(Promise.resolve({ close }));
  return port;
}

beforeAll(async () => {
  const authority = await Authority.create("backends");
  const authorities = { kind: "pem", pem: authority.pair.certificate } as const;
  const shared = await startBackend(authority, (name) => (name.at(-15) ?? "a") as Tenant);
  const ports = new Map<Tenant, number>();
  for (const tenant of TENANTS) ports.set(tenant, await startBackend(authority, () => tenant));
  const profiles = TENANTS.flatMap((tenant): readonly BackendTls[] => [
    { id: `ca-${tenant}`, hostname: nameOf(tenant), authorities },
    {
      id: `ca-names${tenant}`,
      hostname: nameOf(tenant),
      names: [
        ["hostname", "nobody.example"],
        ["hostname", nameOf(tenant)],
      ],
      authorities,
    },
  ]);
  const routes: Record<string, TestRoute> = {};
  for (const tenant of TENANTS) {
    const profileOf = {
      tls: {},
      verified: { tls: `ca-${tenant}` },
      named: { tls: `ca-names${tenant}` },
    };
    for (const way of WAYS) {
      for (const place of PLACES) {
        const upstream = place === "own" ? tenant : "shared";
        const backend = { upstream, protocol: "https", ...profileOf[way] } as const;
        routes[hostOf({ tenant, way, place, mirrored: false })] = {
          backends: [{ ...backend, weight: 1 }],
        };
        routes[hostOf({ tenant, way, place, mirrored: true })] = {
          mirrors: [{ ...backend, numerator: 1, denominator: 1 }],
          backends: [{ ...backend, weight: 1 }],
        };
      }
    }
  }
  gateway = await scene.use(
    LuaGateway.start({
      backend: 1,
      routes,
      upstreams: [
        { id: "shared", endpoints: [["127.0.0.1", shared]] },
        ...TENANTS.map((tenant) => ({
          id: tenant,
          endpoints: [["127.0.0.1", ports.get(tenant) ?? 0] as const],
        })),
      ],
      model: (model) => ({ ...model, backendTls: profiles }),
    }),
  );
});

async function run(step: Step): Promise<void> {
  answer = ANSWERS[step.answer] ?? answer;
  if (step.reloads) process.kill(gateway.nginx.pid, "SIGHUP");
  const before = arrived.length;
  const connection = await Connection.open(gateway.target());
  const upgrade = [
    ["Upgrade", "websocket"],
    ["Connection", "Upgrade"],
  ] as const;
  const method = ["post", "head"].includes(step.client) ? step.client.toUpperCase() : "GET";
  const text = formatRequest({
    host: hostOf(step),
    method,
    headers: [["X-Tag", step.tenant], ...(step.client === "upgrade" ? upgrade : [])],
    ...(method === "POST" && { body: "content" }),
  });
  connection.write(step.client === "twice" ? Buffer.concat([text, text]) : text);
  // Whatever comes back: some answers are no HTTP.
  if (step.client !== "leaves") await connection.receive(method).catch(() => undefined);
  await until(() => arrived.length > before);
  connection.close();
}

test(
  "requests of a tenant never reach another tenant's backend",
  async () => {
    const step = fc.record<Step>({
      tenant: fc.constantFrom(...TENANTS),
      way: fc.constantFrom(...WAYS),
      place: fc.constantFrom(...PLACES),
      client: fc.constantFrom(...CLIENTS),
      mirrored: fc.boolean(),
      answer: fc.nat(ANSWERS.length - 1),
      reloads: fc.integer({ min: 0, max: 30 }).map((n) => n === 0),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        arrived.splice(0);
        for (const each of steps) await run(each);

        expect(arrived.filter(([tenant, tag]) => tenant !== tag)).toEqual([]);
      }),
      runs(40),
    );
    expect(gateway.newLog()).not.toMatch(
      /\[(alert|crit|emerg)\]|attempt to|lua entry thread aborted/,
    );
  },
  timeoutOf(120_000),
);
