import type { CompileOptions } from "../../../../src/model/options.js";
import {
  ingress,
  nginx,
  own,
  prefix,
  rules,
  service,
  translated,
} from "../../../support/translated.js";

const WEB = service("web");
const ID = "ingress/default/web/0-0";

function routeWith(
  annotations: Readonly<Record<string, string>>,
  options: Partial<CompileOptions> = {},
) {
  const spec = rules({ "a.example": ["/a", "/b"] });
  return translated(ingress("web", { annotations, spec }) + WEB, options).route;
}

describe("the route of a path", () => {
  it("has what its annotations say, and its backend", () => {
    expect(routeWith(nginx({ "proxy-body-size": "1", "backend-protocol": "GRPC" }))(ID)).toEqual({
      id: ID,
      source: ["Ingress", "default", "web", "spec.rules[0].http.paths[0]"],
      bodyLimit: 1,
      backends: [{ upstream: "default/web/80", weight: 1, protocol: "grpc" }],
    });
  });

  it("is rewritten where the path is a pattern", () => {
    const { rewrite } = routeWith(nginx({ "rewrite-target": "/x" }))(ID);
    expect(rewrite).toEqual(["regex", "/a", "i", ["/x"], true]);
  });

  it("is closed by a restriction that can't be honoured, if the option says so", () => {
    const annotations = own({ "denylist-source-range": "x" }, "0-0");
    const route = routeWith(annotations);
    expect(route(ID).refuse).toEqual([503, "AuthFail : invalid cfg denylist-source-range"]);
    expect(route("ingress/default/web/0-1").refuse).toBeUndefined();
    const served = routeWith(annotations, { unsupportedRestrictions: "report" });
    expect(served(ID).refuse).toBeUndefined();
  });

  it("with a resource as backend answer 500", () => {
    const resource = { apiGroup: "example", kind: "Bucket", name: "b" };
    const spec = {
      rules: [
        {
          http: { paths: [{ path: "/", pathType: "Prefix", backend: { resource } }, prefix("/a")] },
        },
      ],
    };
    const result = translated(ingress("web", { spec }) + WEB);
    expect(result.reports).toEqual([
      "BACKEND_INVALID Ingress default/web spec.rules[0].http.paths[0].backend",
    ]);
    expect(result.route("ingress/default/web/0-0").backends).toEqual([
      {
        weight: 1,
        protocol: "http",
        refuse: [500, "InvalidBackend : invalid cfg backend is no Service port"],
      },
    ]);
    expect(result.route("ingress/default/web/0-1").backends?.[0]?.upstream).toBe("default/web/80");
  });
});
