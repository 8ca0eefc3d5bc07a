import type { Route } from "../../../../src/model/route.js";
import { ListShards, routeText } from "../../../../src/render/policy/build-policy.js";
import { plainRoute } from "../../../support/data-plane-config.js";

const LIMITED = { bodyLimit: 10, outageErrors: 0 };

/** Counts how often its text is made. */
function watched(id: string): { readonly route: Route; readonly looks: () => number } {
  let looks = 0;
  const { source, ...rest } = plainRoute(id);
  const route: Route = {
    ...rest,
    get source() {
      looks += 1;
      return source;
    },
  };
  return { route, looks: () => looks };
}

test("a route that is the same object keeps its text", () => {
  const shards = new ListShards<Route>((each) => routeText(each, LIMITED));
  const { route, looks } = watched("kept");
  const before = shards.map([plainRoute("gone"), route]);
  const after = shards.map([route, plainRoute("new")]);
  expect(after.shards.get("kept")).toBe(before.shards.get("kept"));
  expect([...after.shards.keys()]).toEqual(["kept", "new"]);
  expect(looks()).toBe(1);
});

test("what the gateway says for all routes is in the text, unless it is nothing", () => {
  const route = plainRoute("r");
  expect(routeText(route, LIMITED)).toContain('"bodyLimit":10');
  expect(routeText(route, { ...LIMITED, outageErrors: 3 })).toContain('"outageErrors":3');
  const own = { ...route, bodyLimit: 0, outageErrors: 0 };
  const text = routeText(own, { bodyLimit: 10, outageErrors: 3 });
  expect(text).not.toMatch(/bodyLimit|outageErrors/);
});
