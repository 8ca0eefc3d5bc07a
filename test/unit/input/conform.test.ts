import { integer, list, map, object, string } from "../../../src/api/schemas/schema.js";
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

test("the default of a null field is filled in", () => {
  expect(conform(SCHEMA, { port: null }).value).toEqual({ port: 80 });
});

test("a default gets the defaults inside it", () => {
  const schema = object({ ref: object({ kind: string({ default: "A" }) }, { default: {} }) });
  expect(conform(schema, {}).value).toEqual({ ref: { kind: "A" } });
});

test("unknown fields are dropped and reported with the names that their place knows", () => {
  const { value, unknown } = conform(SCHEMA, { nmae: "a", port: 1 });
  expect(value).toEqual({ port: 1 });
  expect(unknown).toMatchObject([{ field: ["nmae"] }]);
  expect(unknownFieldReports(unknown)).toMatchObject([
    { code: "FIELD_UNKNOWN", at: "key", hint: "did you mean name?" },
  ]);
});

test("a status keeps the parts that have the right shape", () => {
  const status = object({ names: list(string()), count: integer() });
  const given = { kind: "A", status: { names: ["a", 1], count: "2", other: true } };
  expect(readStatus(status, given)).toEqual({ kind: "A", status: { names: ["a"], other: true } });
  expect(readStatus(status, { status: "broken" })).toEqual({});
  expect(readStatus(undefined, given)).toBe(given);
});
