import { INGRESS } from "../harness/auth-surfaces.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import type { Request } from "../harness/http-client.js";
import { Load } from "../harness/load.js";
import { secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const FLOOD = 1500;
/** Milliseconds for the flood on a machine that is busy with other things. */
const PATIENCE = 100_000;
const wrong = (i: number): Request => ({
  host: "private.example",
  headers: [["Authorization", basic(i % 2 === 0 ? "ann" : "eve", `guess-${i}`)]],
});
const right: Request = {
  host: "private.example",
  headers: [["Authorization", basic("ann", "secret")]],
};

/** Half of `times` are below it; what a busy machine does to some of them does not move it. */
function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

let gateway: Gateway;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          secret("users", { auth: await htpasswdLine("ann", "secret") }),
          INGRESS.site("private", { "auth-type": "basic", "auth-secret": "users" }),
          INGRESS.site("open", {}),
        ),
      },
    }),
  );
});

/** Requests of those who have nothing to do with the flood: the time of each in milliseconds. */
async function bystanders(): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < 200; i += 1) {
    const started = performance.now();
    expect((await gateway.send(i % 2 === 0 ? { host: "open.example" } : right)).status).toBe(200);
    times.push(performance.now() - started);
  }
  return times;
}

describe("a flood of wrong passwords", () => {
  it(
    "is cut short, and neither other routes nor users who are logged in notice",
    async () => {
      // Every worker has seen the right password once.
      for (let i = 0; i < 16; i += 1) expect((await gateway.send(right)).status).toBe(200);
      const before = await bystanders();
      const refusals: (string | undefined)[] = [];
      const flood = new Load({
        target: gateway.target(),
        requests: Array.from({ length: FLOOD }, (_, i) => wrong(i)),
        connections: 16,
        pause: 8,
        check: ({ status, reason }) => {
          if (status === 429) refusals.push(reason);
          return status === 401 || status === 429 ? undefined : `status ${status}`;
        },
      });
      const [during] = await Promise.all([bystanders(), flood.more(FLOOD, PATIENCE)]);
      const report = await flood.stop();

      expect(report.failures).toEqual([]);
      // Each worker computes at least 50 a second before it refuses.
      expect(report.statuses[401]).toBeGreaterThanOrEqual(50);
      expect(report.statuses[429]).toBeGreaterThan(0);
      expect(new Set(refusals).size).toBe(1);
      expect(refusals[0]).toMatch(/^AuthFail : /);
      // The flood costs this process, too; 1,500 hashes would hold a worker for seconds. e2e/bench measures it properly.
      expect(median(during)).toBeLessThan(20 + 5 * median(before));
    },
    PATIENCE,
  );

  it("is over when it is over", async () => {
    const response = await gateway.until(
      "a wrong password is looked at again",
      wrong(FLOOD + 1),
      ({ status }) => status === 401,
    );

    expect(response.header("www-authenticate")).toBe('Basic realm=""');
  });
});
