import { fc } from "../../../support/fast-check.js";
import { renderEndpoints, wholeWeights } from "../../../../src/render/nginx/endpoints-view.js";

test.each([
  ["one backend", [[1, 1]], [1]],
  [
    "weights are brought down",
    [
      [70, 1],
      [30, 1],
    ],
    [7, 3],
  ],
  [
    "endpoints share a weight",
    [
      [70, 3],
      [30, 2],
    ],
    [14, 9],
  ],
  [
    "equal ones",
    [
      [1_000_000, 2],
      [1_000_000, 2],
    ],
    [1, 1],
  ],
  [
    "far apart",
    [
      [1_000_000, 1],
      [1, 1],
    ],
    [1_000_000, 1],
  ],
])("%s", (_what, shares, weights) => {
  const given = shares.map(([weight = 0, parts = 0]) => ({ weight, parts }));
  expect(wholeWeights(given)).toEqual(weights);
});

test("weights are whole, small enough for nginx, and in proportion", () => {
  const share = fc.record({
    weight: fc.integer({ min: 1, max: 1_000_000 }),
    parts: fc.integer({ min: 1, max: 5000 }),
  });
  fc.assert(
    fc.property(fc.array(share, { minLength: 1, maxLength: 16 }), (shares) => {
      const weights = wholeWeights(shares);
      const all = shares.reduce((sum, { weight }) => sum + weight, 0);
      const total = shares.reduce((sum, { parts }, i) => sum + parts * (weights[i] ?? 0), 0);
      for (const [i, { weight, parts }] of shares.entries()) {
        const own = weights[i] ?? 0;
        expect(Number.isSafeInteger(own) && own >= 1 && own <= 1_000_000_000).toBe(true);
        // What is rounded up to 1 is less than a millionth.
        expect(Math.abs((parts * own) / total - weight / all)).toBeLessThan(1e-5);
      }
    }),
  );
});

test("an endpoint of two backends has the weights of both", () => {
  const endpoints = [["10.0.0.1", 80]] as const;
  const text = renderEndpoints({
    pools: [
      {
        ...{ id: "tcproute/n/r", transport: "tcp" },
        backends: [
          { upstream: "n/a/80", weight: 2 },
          { upstream: "n/b/80", weight: 3 },
        ],
      },
    ],
    streamUpstreams: [
      { id: "n/a/80", endpoints },
      { id: "n/b/80", endpoints },
    ],
  });
  expect(text.match(/server .*/g)).toEqual(["server 10.0.0.1:80 weight=5;"]);
});
