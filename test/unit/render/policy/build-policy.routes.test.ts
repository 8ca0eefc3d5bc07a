import type { Route } from "../../../../src/model/route.js";
import { RouteShards } from "../../../../src/render/policy/build-policy.js";
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
  const shards = new RouteShards();
  const { route, looks } = watched("kept");
  const before = shards.routes([route, plainRoute("gone")], 10);
  const after = shards.routes([route, plainRoute("new")], 10);
  expect(after.shards.get("kept")).toBe(before.shards.get("kept"));
  expect([...after.shards.keys()]).toEqual(["kept", "new"]);
  expect(looks()).toBe(1);
});

test("unless the limit of bodies is another one, which is in the text", () => {
  const shards = new RouteShards();
  const { route } = watched("kept");
  expect(shards.routes([route], 10).shards.get("kept")).toContain('"bodyLimit":10');
  expect(shards.routes([route], 20).shards.get("kept")).toContain('"bodyLimit":20');
  expect(shards.routes([route], 0).shards.get("kept")).not.toContain("bodyLimit");
});
