import {
  type JsonSchema,
  integer,
  list,
  map,
  object,
  string,
} from "../../../src/api/schemas/schema.js";
import { conform, readStatus, unknownFieldReports } from "../../../src/input/conform.js";

const SCHEMA = object({
  name: string(),
  port: integer({ default: 80 }),
  items: list(object({ kind: string({ default: "Service" }) })),
  labels: map(object({ weight: integer({ default: 1 }) })),
});

test("a complete value is returned itself", () => {
  const value = { name: "a", port: 1, items: [{ kind: "b" }], labels: { x: { weight: 2 } } };
  expect(conform(SCHEMA, value).value).toBe(value);
});

test("defaults are filled in at every depth, and the given value stays as it was", () => {
  const value = { items: [{}], labels: { x: {} } };
  expect(conform(SCHEMA, value).value).toEqual({
    port: 80,
    items: [{ kind: "Service" }],
    labels: { x: { weight: 1 } },
  });
  expect(value).toEqual({ items: [{}], labels: { x: {} } });
});

test("the default of a null field is filled in, unless its value has been lost", () => {
  expect(conform(SCHEMA, { port: null }).value).toEqual({ port: 80 });
  expect(conform(SCHEMA, { port: null }, () => true).value).toEqual({ port: null });
});

test("a default gets the defaults inside it", () => {
  const schema = object({ ref: object({ kind: string({ default: "A" }) }, { default: {} }) });
  expect(conform(schema, {}).value).toEqual({ ref: { kind: "A" } });
});

test("unknown fields are dropped and reported with the names that their place knows", () => {
  const { value, unknown } = conform(SCHEMA, { nmae: "a", port: 1 });
  expect(value).toEqual({ port: 1 });
  expect(unknown).toMatchObject([{ field: ["nmae"], value: "a", preserved: false }]);
  expect(unknownFieldReports(unknown)).toMatchObject([
    { code: "FIELD_UNKNOWN", at: "key", hint: "did you mean name?" },
  ]);
});

test("a field that stands too high is reported with the place that has it, if there is one", () => {
  const http = object({ paths: list(object({ path: string() })) });
  const spec = object({ rules: list(object({ host: string(), http })), class: string() });
  const hints = (value: object) =>
    unknownFieldReports(conform(object({ spec }), value).unknown).map(({ hint }) => hint);
  expect(hints({ rules: [] })).toEqual(["put rules below spec"]);
  expect(hints({ spec: { paths: [] } })).toEqual(["put paths below rules[].http"]);
  const twice = object({ one: object({ x: string() }), two: list(object({ x: string() })) });
  expect(unknownFieldReports(conform(twice, { x: "" }).unknown)[0]).not.toHaveProperty("hint");
});

test("a place that preserves unknown fields keeps them, and only a misspelt one is reported", () => {
  const open: JsonSchema = { ...SCHEMA, "x-kubernetes-preserve-unknown-fields": true };
  const value = { nmae: "a", other: 1, port: 1 };
  const { value: kept, unknown } = conform(open, value);
  expect(kept).toBe(value);
  expect(unknownFieldReports(unknown).map(({ field }) => field)).toEqual([["nmae"]]);
});

test("a status keeps the parts that have the right shape", () => {
  const status = object({ names: list(string()), count: integer() });
  const given = { kind: "A", status: { names: ["a", 1], count: "2", other: true } };
  expect(readStatus(status, given)).toEqual({ kind: "A", status: { names: ["a"], other: true } });
  expect(readStatus(status, { status: "broken" })).toEqual({});
  expect(readStatus(undefined, given)).toBe(given);
});
