import type { Ingress } from "../../../../src/api/wire.js";
import { DiagnosticSink } from "../../../../src/diagnostics/sink.js";
import { resourcesFromYaml } from "../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { hostKey } from "../../../../src/model/values.js";
import {
  claimsOfIngress,
  preparedIngresses,
} from "../../../../src/translate/ingress/prepared-ingress.js";
import { ingress, nginx, own, prefix, rules } from "../../../support/translated.js";

const DIAGNOSTICS = new DiagnosticSink();

function prepared(yaml: string) {
  const { resources } = resourcesFromYaml(yaml);
  const context = { resources, options: DEFAULT_OPTIONS, diagnostics: DIAGNOSTICS };
  const [object] = resources.list("Ingress") as readonly [Ingress];
  return { context, ingress: preparedIngresses(context)(object) };
}

function claims(yaml: string) {
  const { hosts, takesRest } = claimsOfIngress(prepared(yaml).ingress);
  return {
    takesRest,
    hosts: hosts.map(({ host, ...facts }) => ({ host: hostKey(host), ...facts })),
  };
}

const SPEC = rules({ "a.example": ["/", "/b"], "*.b.example": ["/"] });

it("each path has its host, its place and its annotations", () => {
  const annotations = { ...nginx({ satisfy: "any" }), ...own({ satisfy: "all" }, "0-1") };
  const { paths } = prepared(ingress("web", { annotations, spec: SPEC })).ingress;
  const seen = paths.map(({ host, path, index, lookup, place }) => [
    hostKey(host),
    path,
    `${index.rule}-${index.path}`,
    lookup.find({ name: "satisfy" })?.value,
    place.field.join("."),
  ]);
  expect(seen).toEqual([
    ["a.example", "/", "0-0", "any", "spec.rules.0.http.paths.0"],
    ["a.example", "/b", "0-1", "all", "spec.rules.0.http.paths.1"],
    ["*.b.example", "/", "1-0", "any", "spec.rules.1.http.paths.0"],
  ]);
});

it("annotations close all paths, or the one of their index", () => {
  const closed = (annotations: Record<string, string>) => {
    const { closedBy, paths } = prepared(ingress("web", { annotations, spec: SPEC })).ingress;
    const all = [closedBy, ...paths.map((path) => path.closedBy)];
    return all.map((closers) => closers.map(({ name }) => name).join());
  };
  const none = "";
  expect(closed(nginx({ "auth-tpye": "basic" }))).toEqual(Array(4).fill("auth-tpye"));
  expect(closed(own({ "auth-tpye": "basic" }, "0-1"))).toEqual([none, none, "auth-tpye", none]);
  expect(closed(own({ "auth-url": "x" }, "0-7"))).toEqual(Array(4).fill("auth-url"));
  expect(closed(nginx({ "auth-url": "x", satisfy: "x" }))).toEqual(Array(4).fill(none));
});

it("server-alias names further hosts, but none beside every host", () => {
  const aliases = (name: string, spec: unknown = SPEC) =>
    prepared(
      ingress("web", { annotations: nginx({ [name]: "c.example, C.example,-" }), spec }),
    ).ingress.aliases.map(hostKey);
  expect(aliases("server-alias")).toEqual(["c.example"]);
  expect(aliases("sever-alias")).toEqual([]);
  expect(aliases("server-alias", rules({ "": ["/"] }))).toEqual([]);
});

describe("the hosts that an Ingress claims", () => {
  it("are those of its rules and its aliases", () => {
    const annotations = nginx({ "server-alias": "c.example" });
    expect(claims(ingress("web", { annotations, spec: SPEC })).hosts).toEqual([
      { host: "c.example" },
      { host: "a.example", isRuled: true },
      { host: "*.b.example", isRuled: true },
    ]);
  });

  it("have patterns by a rewrite-target, for the host of its path", () => {
    const annotations = own({ "rewrite-target": "/x" }, "1-0");
    expect(claims(ingress("web", { annotations, spec: SPEC })).hosts).toEqual([
      { host: "a.example", isRuled: true },
      { host: "*.b.example", isRuled: true, isPattern: true },
    ]);
  });

  it("are all that others leave, with a default backend and no rules", () => {
    const { backend } = prefix("/") as { backend: object };
    expect(claims(ingress("web", { spec: { defaultBackend: backend } }))).toEqual({
      takesRest: true,
      hosts: [],
    });
  });
});
