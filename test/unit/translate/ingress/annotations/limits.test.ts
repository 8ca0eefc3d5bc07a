import { readLimits } from "../../../../../src/translate/ingress/annotations/limits.js";
import { readerOf } from "../../../../support/annotation-reader.js";
import { nginx } from "../../../../support/translated.js";

const OF = { namespace: "shop", name: "web" };
const of = "shop/web";

it.each<[Record<string, string>, object]>([
  [{}, {}],
  [{ "limit-rps": "0" }, {}],
  [{ "limit-rps": "-1" }, {}],
  [{ "limit-allowlist": "10.0.0.0/8" }, {}],
  [{ "limit-rps": "5" }, { limits: { of, rates: [{ requests: 5, seconds: 1, burst: 25 }] } }],
  [
    { "limit-rpm": "5", "limit-burst-multiplier": "0" },
    { limits: { of, rates: [{ requests: 5, seconds: 60, burst: 0 }] } },
  ],
  [
    { "limit-rps": "5", "limit-rpm": "60", "limit-burst-multiplier": "2" },
    {
      limits: {
        of,
        rates: [
          { requests: 5, seconds: 1, burst: 10 },
          { requests: 60, seconds: 60, burst: 120 },
        ],
      },
    },
  ],
  [
    { "limit-rps": "5", "limit-whitelist": "10.0.0.1" },
    { limits: { of, rates: [{ requests: 5, seconds: 1, burst: 25 }], except: ["10.0.0.1/32"] } },
  ],
  [
    { "limit-rps": "5", "limit-whitelist": "10.0.0.1, any" },
    { limits: { of, rates: [{ requests: 5, seconds: 1, burst: 25 }] } },
  ],
])("%j: %j", (annotations, expected) => {
  expect(readLimits(readerOf(nginx(annotations)), OF)).toEqual(expected);
});
