/**
 * An endpoint's machine falls silent, as without power: connections to it hang, kept ones too. Only requests of the first second wait,
 * and none fails.
 */
import { setTimeout as pause } from "node:timers/promises";
import { EchoBackend } from "../../../e2e/harness/echo-backend.js";
import { useScene } from "../../../e2e/harness/scene.js";
import { LuaGateway } from "../../support/lua-gateway.js";
import { OtherMachine } from "../../support/other-machine.js";
import { until } from "../../support/until.js";

const scene = useScene();
const upstream = "pool";
const host = "a.example";

interface Sent {
  readonly status: number;
  /** Milliseconds since the start of the load, and for the answer. */
  readonly at: number;
  readonly took: number;
  /** Which endpoint answered. */
  readonly by: string;
}

/** 200 requests a second, whether or not earlier ones were answered. */
async function load(gateway: LuaGateway, seconds: number): Promise<readonly Sent[]> {
  const sent: Promise<Sent>[] = [];
  const start = performance.now();
  const send = async (): Promise<Sent> => {
    const at = performance.now() - start;
    const response = await gateway.send({ host });
    const took = performance.now() - start - at;
    const by = response.header("x-echo") ?? response.text;
    return { status: response.status, at, took, by };
  };
  for (let n = 0; n < seconds * 200; n += 1) {
    await pause(Math.max(0, n * 5 - (performance.now() - start)));
    sent.push(send());
  }
  return Promise.all(sent);
}

const shareOf = (name: string, sent: readonly Sent[]) =>
  sent.filter(({ by }) => by === name).length / sent.length;

test.each([2, 4])("one of %d endpoints", async (count) => {
  if (!OtherMachine.isPossible) return;
  const machine = await scene.use(OtherMachine.start());
  const living = await Promise.all(
    Array.from({ length: count - 1 }, (_, i) => scene.use(EchoBackend.start(String(i)))),
  );
  const gateway = await scene.use(
    LuaGateway.start({
      backend: living[0]?.port ?? 0,
      routes: { [host]: { backends: [{ upstream, weight: 1, protocol: "http" }] } },
      upstreams: [
        {
          id: upstream,
          endpoints: [
            ...living.map(({ port }) => ["127.0.0.1", port] as const),
            [machine.address, 80],
          ],
        },
      ],
    }),
  );
  const before = await load(gateway, 1);
  expect(shareOf(OtherMachine.ANSWER, before)).toBeCloseTo(1 / count, 1);
  machine.drop();
  const during = await load(gateway, 3);
  const healed = performance.now();
  machine.heal();
  await until(async () => (await gateway.send({ host })).text === OtherMachine.ANSWER, 2000);
  const after = await load(gateway, 1);

  expect([...before, ...during, ...after].filter(({ status }) => status !== 200)).toEqual([]);
  expect(performance.now() - healed).toBeLessThan(3500);
  expect(shareOf(OtherMachine.ANSWER, after)).toBeCloseTo(1 / count, 1);
  // One waits for its connection for a second. A busy machine may delay some that wait for a part of it.
  expect(Math.max(...during.map(({ took }) => took))).toBeLessThan(3000);
  expect(during.filter(({ took }) => took > 800).length).toBeLessThan(10);
  expect(during.filter(({ at, took }) => at > 600 && took > 800)).toEqual([]);
  for (const { name } of living) expect(shareOf(name, during)).toBeCloseTo(1 / living.length, 1);
});
