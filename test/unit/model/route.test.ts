import {
  DEFAULT_TIMEOUTS,
  type RouteBinding,
  inBindingOrder,
  onePlace,
  routeTimeouts,
} from "../../../src/model/route.js";
import { ANY_HOST } from "../../../src/model/values.js";

test("default timeouts are left to nginx.conf", () => {
  expect(routeTimeouts({ ...DEFAULT_TIMEOUTS })).toEqual({});
  for (const name of ["connect", "send", "read"] as const) {
    const timeouts = { ...DEFAULT_TIMEOUTS, [name]: 1 };
    expect(routeTimeouts(timeouts)).toEqual({ timeouts });
  }
});

test("bindings are sorted by listener, then by order, in bytes", () => {
  const binding = (listener: string, order: string): RouteBinding => ({
    ...{ at: onePlace(listener, ANY_HOST), path: undefined, when: [], order, route: "r" },
  });
  const sorted = [binding("a", "B"), binding("a", "a"), binding("b", "1"), binding("b", "10")];
  expect([...sorted].reverse().sort(inBindingOrder)).toEqual(sorted);
});
