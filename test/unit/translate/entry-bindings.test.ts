import { ingress, rules, service, translated } from "../../support/translated.js";

const PRIORITY = "alb.cpaas.io/ingress-rule-priority-0-0";

/** An Ingress with one path, and the priority that it wants for it. */
function at(name: string, host: string, path: string, priority?: string): string {
  const annotations = priority === undefined ? {} : { [PRIORITY]: priority };
  return ingress(name, { annotations, spec: rules({ [host]: [path] }) });
}

function tried(...ingresses: readonly string[]): readonly string[] {
  const lines = translated(service("web") + ingresses.join("")).tried(80);
  return lines.map((line) => line.replace(/.* → ingress\/default\/(.*)\/0-0$/, "$1"));
}

test("longer paths come first", () => {
  expect(tried(at("short", "a.example", "/a"), at("long", "a.example", "/a/b"))).toEqual([
    "long",
    "short",
  ]);
});

test("a path with a lower number of priority stays ahead of longer ones, which move back", () => {
  const first = at("short", "a.example", "/a", "1");
  expect(tried(first, at("long", "a.example", "/a/b"))).toEqual(["short", "long"]);
});

test("a path with a higher number moves back behind shorter ones", () => {
  const last = at("long", "a.example", "/a/b", "10");
  expect(tried(last, at("short", "a.example", "/a"))).toEqual(["short", "long"]);
});

test("paths of other hosts stay where they are", () => {
  const first = at("wide", "a.example", "/", "1");
  const others = [at("b1", "b.example", "/"), at("b2", "b.example", "/b")];
  expect(tried(first, ...others).filter((name) => name !== "wide")).toEqual(["b2", "b1"]);
});
