/**
 * Random Gateways and HTTPRoutes, compiled and served by a real nginx, against a model of the specification that shares no code
 * with the product.
 */
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import { evaluate } from "../support/gateway-model/evaluate.js";
import { LiveGateway } from "../support/gateway-model/live-gateway.js";
import { requests } from "../support/gateway-model/random-requests.js";
import { worlds } from "../support/gateway-model/random-worlds.js";
import type { HttpRoute, Outcome, Request, World } from "../support/gateway-model/world.js";
import { useTempFolder } from "../support/temp-folder.js";

const RUNS = 400;
/** Milliseconds for a configuration, its requests and what shrinking adds. */
const TIME = 2000;

const folder = useTempFolder();
let gateway: LiveGateway;

beforeEach(async () => {
  gateway = await LiveGateway.start(folder());
});

afterEach(async () => {
  await gateway.close();
});

test(
  "every request gets what Gateway API says",
  async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(worlds, requests, async (world, asked) => {
        await gateway.serve(world);
        for (const request of asked) {
          const outcome = await gateway.ask(request);
          seen.add(outcome.status);
          const right = possible(world, request);
          if (!right.some((each) => isEqual(each, outcome))) {
            throw new Error(JSON.stringify({ request, outcome, right }, undefined, 2));
          }
        }
      }),
      runs(RUNS),
    );
    // What is never asked for is never wrong.
    expect([...seen]).toEqual(expect.arrayContaining([200, 302, 400, 404, 500, 503]));
  },
  timeoutOf(60_000 + RUNS * TIME),
);

function possible(world: World, request: Request): readonly Outcome[] {
  const right = evaluate(world, request, gateway.ports);
  return mayBeAmbiguous(request) && world.routes.some(refuses)
    ? [...right, { status: 400 }]
    : right;
}

/** Its path has another reading; where that is of a rule that refuses, or has a backend that does, the product refuses the request. */
function mayBeAmbiguous({ target }: Request): boolean {
  return /\/\/|\/\.|[;\\]|%2[5ef]|%3b|%5c/i.test(target.split("?")[0] ?? "");
}

function refuses({ rules }: HttpRoute): boolean {
  return rules.some(
    ({ filters, backends }) =>
      filters.unknown === true ||
      backends.some(({ name }) => name === "missing" || name === "foreign") ||
      (filters.redirect === undefined && backends.every(({ weight }) => weight === 0)),
  );
}

function isEqual(a: Outcome, b: Outcome): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted({ status, location, forwarded }: Outcome): unknown {
  return { status, location, forwarded };
}
