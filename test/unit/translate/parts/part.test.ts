import type { Route } from "../../../../src/model/route.js";
import type { Read } from "../../../../src/engine/tables.js";
import { resourcesFromYaml } from "../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import {
  type Part,
  Union,
  Whole,
  ownContext,
  partOf,
} from "../../../../src/translate/parts/part.js";
import { ObjectTables } from "../../../../src/translate/known-objects.js";
import { service } from "../../../support/translated.js";

const { resources } = resourcesFromYaml(service("web"));

function route(id: string): Route {
  return { id, source: ["Rule", "default", id, ""], backends: [] };
}

const untracked: Read = (table, key) => table.get(key);

/** The part of an object with the route, whose translation uses the Service `web`. */
function part(id: string, read = untracked): Part {
  const objects = new ObjectTables();
  objects.update(resources);
  const own = ownContext({ options: DEFAULT_OPTIONS }, objects, read);
  own.backends.add({ namespace: "default", name: "web", port: 80 });
  own.config.addRoute(route(id), 80);
  own.diagnostics.report({ code: "ROUTE_OF_MESH", message: id });
  return partOf(own);
}

test("a context of its own collects what one object adds, and notes what it looked up", () => {
  const reads = new Set<string>();
  const { routes, upstreams, reports } = part("a", (table, key) => {
    reads.add(key);
    return table.get(key);
  });
  expect(routes).toEqual([route("a")]);
  expect(upstreams.map(({ id }) => id)).toEqual(["default/web/80"]);
  expect(reports.map(({ message }) => message)).toEqual(["a"]);
  expect([...reads]).toEqual(["Service/default/web"]);
});

test("the whole has what its parts give, until the last part that gives it is gone", () => {
  const whole = new Whole();
  const [a, b] = [part("a"), part("b")];
  const contents = (): unknown => [
    whole.routes.map(({ id }) => id),
    whole.upstreams.values.map(({ id }) => id),
    whole.reports.map(({ message }) => message),
  ];
  whole.update([
    { key: "b", now: b },
    { key: "a", now: a },
  ]);
  expect(contents()).toEqual([["a", "b"], ["default/web/80"], ["b", "a"]]);
  whole.update([{ key: "a", before: a }]);
  expect(contents()).toEqual([["b"], ["default/web/80"], ["b"]]);
  whole.update([{ key: "b", before: b }]);
  expect(contents()).toEqual([[], [], []]);
});

test("a value of a union stays as long as one part gives it", () => {
  const union = new Union<{ readonly id: string; readonly text: string }>();
  const [a, b] = [
    { id: "a", text: "1" },
    { id: "b", text: "1" },
  ];
  union.replace([], [b, a]);
  union.replace([], [b]);
  expect(union.values).toEqual([a, b]);
  const changed = { id: "b", text: "2" };
  union.replace([a, b], []);
  union.replace([b], [changed]);
  expect(union.values).toEqual([changed]);
});
