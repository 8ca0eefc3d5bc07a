/** A tenant with any number of realms, or of users, leaves the first logins of others theirs, and most of the processor. */
import { EchoBackend } from "../../../e2e/harness/echo-backend.js";
import { basic } from "../../../e2e/harness/htpasswd.js";
import { Connection } from "../../../e2e/harness/http-client.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { SourceRef } from "../../../src/model/values.js";
import { credentialSet } from "../../support/credentials.js";
import { authPolicy, LuaGateway } from "../../support/lua-gateway.js";
import { until } from "../../support/until.js";

const scene = useScene();
const REALMS = 1000;
const VICTIMS = 30;
/** A long password costs as much as thirty logins. */
const WRONG = "wrong".repeat(200);

const source = (name: string): SourceRef => ["Ingress", name.replace(/\d+$/, ""), name, ""];

async function start(
  realms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
) {
  const backend = await scene.use(EchoBackend.start("web"));
  return scene.use(
    LuaGateway.start({
      backend: backend.port,
      credentials: Object.entries(realms).map(([id, entries]) => ({ id, entries })),
      routes: Object.fromEntries(
        Object.keys(realms).map((id) => [
          `${id}.example`,
          { source: source(id), auth: [authPolicy({ basic: { realm: "", file: id } })] },
        ]),
      ),
    }),
  );
}

async function ask(connection: Connection, realm: string, user: string, password: string) {
  const headers = [["Authorization", basic(user, password)]] as const;
  return (await connection.send({ host: `${realm}.example`, headers })).status;
}

const hashOf = async (password: string): Promise<readonly string[]> =>
  Object.values((await credentialSet("", { ann: password })).entries)[0] ?? [];

it("a flood at 1,000 realms of a namespace leaves first logins elsewhere theirs", async () => {
  const hash = await hashOf("secret");
  const names = [
    ...Array.from({ length: REALMS }, (_, index) => `tenant${String(index)}`),
    ...Array.from({ length: VICTIMS }, (_, index) => `victim${String(index)}`),
  ];
  const gateway = await start(Object.fromEntries(names.map((id) => [id, { [id]: hash }])));
  let flooding = true;
  let isFull = false;
  const floods = Array.from({ length: 8 }, async (_, first) => {
    const connection = await Connection.open(gateway.target());
    for (let n = first; flooding && n < 900 * 8; n += 8) {
      const name = `tenant${String(n % REALMS)}`;
      const status = await ask(connection, name, name, WRONG);
      isFull ||= status === 429;
    }
    connection.close();
  });
  const statuses: number[] = [];
  const connection = await Connection.open(gateway.target());
  await until(async () => isFull);
  for (let index = 0; index < VICTIMS; index += 1) {
    const name = `victim${String(index)}`;
    statuses.push(await ask(connection, name, name, "secret"));
  }
  flooding = false;
  connection.close();
  await Promise.all(floods);
  expect(statuses).toEqual(Array<number>(VICTIMS).fill(200));
}, 120_000);

describe("right logins of a namespace's own users", () => {
  /** The longest that openssl hashes; it counts nine times. */
  const LONG = "long".repeat(64);
  const USERS = 1000;
  let gateway: LuaGateway;

  beforeAll(async () => {
    const [long, short] = await Promise.all([hashOf(LONG), hashOf("secret")]);
    const users = (count: number, hash: readonly string[]) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`user${String(i)}`, hash]));
    gateway = await start({ tenant: users(USERS, long), victim: users(USERS, short) });
  });

  const logIn = async (realm: string, password: string) => {
    const connection = await Connection.open(gateway.target());
    const statuses: number[] = [];
    for (let i = 0; i < USERS; i += 1)
      statuses.push(await ask(connection, realm, `user${String(i)}`, password));
    connection.close();
    return statuses;
  };

  it("with long passwords are refused after what the namespace may have computed", async () => {
    const began = performance.now();
    const statuses = await logIn("tenant", LONG);
    const seconds = (performance.now() - began) / 1000;
    const computed = statuses.filter((status) => status === 200).length;
    expect(computed).toBeGreaterThanOrEqual(222);
    expect(computed).toBeLessThanOrEqual((2000 + 2000 * seconds) / 9 + 1);
    expect(statuses.filter((status) => status === 429).length).toBe(USERS - computed);
  });

  it("of usual length are all computed, as many as come at once", async () => {
    expect(await logIn("victim", "secret")).toEqual(Array<number>(USERS).fill(200));
  });
});
