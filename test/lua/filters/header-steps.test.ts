/** Steps see what the steps before them have changed. */
import { echoOf } from "../../../e2e/harness/echo-backend.js";
import type { HeaderStep } from "../../../src/model/filters.js";
import { type FilterServer, startFilterServer } from "./filter-server.js";

let nginx: FilterServer;
beforeAll(async () => {
  nginx = await startFilterServer();
});
afterAll(() => nginx.stop());

const sets = (name: string, value: string, more: Omit<HeaderStep, "headers"> = {}): HeaderStep => ({
  headers: [[name, value === "" ? [] : [value]]],
  ...more,
});
const clears = (...names: readonly string[]): HeaderStep => ({
  headers: names.map((name) => [name, []]),
});
const adds = { adds: true } as const;
const ifPresent = { ifPresent: true } as const;

const BEFORE = [
  ["X-A", "a"],
  ["X-B", "b"],
  ["Y-A", "a"],
] as const;
type Row = readonly [string, readonly HeaderStep[], Readonly<Record<string, string>>];
const OF_BOTH: readonly Row[] = [
  ["a pattern", [clears("x-*")], { "y-a": "a" }],
  ["patterns", [clears("x-a*", "Y-*", "X-*")], {}],
  ["a pattern of nothing", [clears("Z*")], { "x-a": "a", "x-b": "b", "y-a": "a" }],
  ["a pattern after a header that it has", [sets("X-C", "c"), clears("X-*")], { "y-a": "a" }],
  ["a header between patterns", [clears("X-*"), sets("X-C", "c"), clears("x-c*")], { "y-a": "a" }],
  ["a header after a pattern", [clears("X-*"), sets("X-A", "c")], { "x-a": "c", "y-a": "a" }],
  [
    "a header of another spelling",
    [clears("Z*"), sets("x-c", "c"), clears("X-C"), sets("X-C", "d"), clears("Y*")],
    { "x-a": "a", "x-b": "b", "x-c": "d" },
  ],
];
const OF_REQUESTS: readonly Row[] = [
  [
    "only headers that are there",
    [sets("X-A", "1", ifPresent), sets("X-C", "1", ifPresent)],
    { "x-a": "1", "x-b": "b", "y-a": "a" },
  ],
  [
    "headers that a step has made",
    [sets("X-B", "1", ifPresent), sets("X-C", "1"), sets("X-C", "2", ifPresent)],
    { "x-a": "a", "x-b": "1", "x-c": "2", "y-a": "a" },
  ],
  [
    "headers that a step has removed",
    [clears("X-*"), sets("X-A", "1", ifPresent), clears("Y-A"), sets("Y-A", "1", ifPresent)],
    {},
  ],
];
const OF_RESPONSES: readonly Row[] = [
  [
    "an added line after a pattern",
    [clears("X-*"), sets("X-C", "c", adds), clears("Z*", "x-*")],
    { "y-a": "a" },
  ],
];

const seen = (all: (name: string) => readonly string[]): Record<string, string> =>
  Object.fromEntries(
    ["x-a", "x-b", "x-c", "y-a"].flatMap((name) =>
      all(name).length === 0 ? [] : [[name, all(name).join()]],
    ),
  );

it.each([...OF_BOTH, ...OF_REQUESTS])("request: %s", async (_what, requestSteps, expected) => {
  const response = await nginx.send({ route: { requestSteps } }, { headers: BEFORE });
  const echo = echoOf(response);
  expect(seen((name) => echo.all(name))).toEqual(expected);
});

it.each([...OF_BOTH, ...OF_RESPONSES])("response: %s", async (_what, responseSteps, expected) => {
  const response = await nginx.send({ route: { responseSteps }, answer: { headers: BEFORE } }, {});
  expect(seen((name) => response.all(name))).toEqual(expected);
});
