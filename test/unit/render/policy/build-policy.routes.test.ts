import type { Route } from "../../../../src/model/route.js";
import { ListShards, routeText } from "../../../../src/render/policy/build-policy.js";
import { plainRoute } from "../../../support/data-plane-config.js";

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
  const shards = new ListShards<Route>((each) => routeText(each, 10));
  const { route, looks } = watched("kept");
  const before = shards.map([plainRoute("gone"), route]);
  const after = shards.map([route, plainRoute("new")]);
  expect(after.shards.get("kept")).toBe(before.shards.get("kept"));
  expect([...after.shards.keys()]).toEqual(["kept", "new"]);
  expect(looks()).toBe(1);
});

test("the limit of bodies is in the text, unless there is none", () => {
  expect(routeText(plainRoute("r"), 10)).toContain('"bodyLimit":10');
  expect(routeText(plainRoute("r"), 0)).not.toContain("bodyLimit");
});
