/** A tenant with any number of realms leaves the first logins of others theirs. */
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

it("a flood at 1,000 realms of a namespace leaves first logins elsewhere theirs", async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const [hash = []] = Object.values((await credentialSet("", { ann: "secret" })).entries);
  const names = [
    ...Array.from({ length: REALMS }, (_, index) => `tenant${String(index)}`),
    ...Array.from({ length: VICTIMS }, (_, index) => `victim${String(index)}`),
  ];
  const source = (name: string): SourceRef => ["Ingress", name.replace(/\d+$/, ""), name, ""];
  const gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      credentials: names.map((id) => ({ id, entries: { [id]: hash } })),
      routes: Object.fromEntries(
        names.map((id) => [
          `${id}.example`,
          { source: source(id), auth: [authPolicy({ basic: { realm: "", file: id } })] },
        ]),
      ),
    }),
  );
  const ask = async (connection: Connection, name: string, password: string) => {
    const headers = [["Authorization", basic(name, password)]] as const;
    return (await connection.send({ host: `${name}.example`, headers })).status;
  };
  let flooding = true;
  let isFull = false;
  const floods = Array.from({ length: 8 }, async (_, first) => {
    const connection = await Connection.open(gateway.target());
    for (let n = first; flooding && n < 900 * 8; n += 8) {
      const status = await ask(connection, `tenant${String(n % REALMS)}`, WRONG);
      isFull ||= status === 429;
    }
    connection.close();
  });
  const statuses: number[] = [];
  const connection = await Connection.open(gateway.target());
  await until(async () => isFull);
  for (let index = 0; index < VICTIMS; index += 1) {
    statuses.push(await ask(connection, `victim${String(index)}`, "secret"));
  }
  flooding = false;
  connection.close();
  await Promise.all(floods);
  expect(statuses).toEqual(Array<number>(VICTIMS).fill(200));
}, 120_000);
