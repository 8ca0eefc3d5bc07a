import { parseErrorStatuses } from "../../../src/support/error-statuses.js";

test("a list is sorted, and each status is there once", () => {
  expect(parseErrorStatuses("503, 404 ,404,599,400")).toEqual({
    ok: true,
    value: [400, 404, 503, 599],
  });
});

test.each(["399", "499", "600", "4xx", "404 503;", "0x194", "4.04", "-404"])(
  "%p is no status of a list",
  (text) => {
    expect(parseErrorStatuses(text)).toMatchObject({ ok: false });
  },
);

test("a list without a status is wrong", () => {
  expect(parseErrorStatuses(",")).toMatchObject({ ok: false, problem: "it names no status" });
});
