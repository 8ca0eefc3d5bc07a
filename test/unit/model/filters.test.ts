import { headerChanges } from "../../../src/model/filters.js";

test("header changes have only the lists that are not empty", () => {
  expect(headerChanges([["X-A", "1"]], [], ["x-b"])).toEqual({
    set: [["X-A", "1"]],
    remove: ["x-b"],
  });
  expect(headerChanges([], [["X-A", "1"]], [])).toEqual({ add: [["X-A", "1"]] });
  expect(headerChanges([], [], [])).toBeUndefined();
});
