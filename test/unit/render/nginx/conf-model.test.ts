import type { AuthConfig } from "../../../../src/model/auth.js";
import type { Route } from "../../../../src/model/route.js";
import { ConfModels } from "../../../../src/render/nginx/conf-model.js";
import {
  EMPTY_CONFIG,
  HTTP_SERVER,
  SOURCE,
  plainRoute,
} from "../../../support/data-plane-config.js";

const LIMITED = { bodyLimit: 1000 };
const RETRIED: Pick<Route, "retry"> = { retry: { codes: [503], attempts: 2 } };

function routesOf(models: ConfModels, ...routes: readonly Route[]) {
  return models.of({ ...EMPTY_CONFIG, routes }).routes;
}

test("routes that nginx.conf does not tell apart are one", () => {
  const routes = [
    plainRoute("a", LIMITED),
    plainRoute("b", { auth: ["x"] }),
    plainRoute("c", { ...LIMITED, host: "other" }),
    plainRoute("d"),
  ];
  expect(routesOf(new ConfModels(), ...routes)).toEqual([LIMITED, {}]);
});

test("a body limit of 0, which is none, is no absent one", () => {
  const routes = [plainRoute("a", { bodyLimit: 0 }), plainRoute("b")];
  expect(routesOf(new ConfModels(), ...routes)).toEqual([{ bodyLimit: 0 }, {}]);
});

test("protocols of backends count only for routes with retries or deadlines", () => {
  const grpc: Route["backends"] = [{ upstream: "default/web/80", weight: 5, protocol: "grpc" }];
  const deadlines = { request: 5 };
  expect(
    routesOf(
      new ConfModels(),
      plainRoute("a", { backends: grpc }),
      plainRoute("b", { ...RETRIED, backends: grpc }),
      { id: "c", source: SOURCE, deadlines },
    ),
  ).toEqual([{ backends: [], deadlines }, { backends: [{ protocol: "grpc" }], ...RETRIED }, {}]);
});

test("auths count by the bodies that they send to external services", () => {
  const external = { scheme: "http", host: ["auth"], target: ["/"] } as const;
  const auths: readonly AuthConfig[] = [
    { id: "a", source: SOURCE, external: { ...external, maxBody: 300 } },
    { id: "b", source: SOURCE, external: { ...external, target: ["/other"], maxBody: 300 } },
    { id: "d", source: SOURCE },
  ];
  expect(new ConfModels().of({ ...EMPTY_CONFIG, auths }).auths).toEqual([
    { external: { maxBody: 300 } },
    {},
  ]);
});

test("what nginx.conf shows as it is stays the same object", () => {
  const servers = [HTTP_SERVER];
  expect(new ConfModels().of({ ...EMPTY_CONFIG, servers }).servers).toBe(servers);
});

test("a value is gone with the last route that has it", () => {
  const models = new ConfModels();
  const [a, b] = [plainRoute("a", LIMITED), plainRoute("b", LIMITED)];
  expect(routesOf(models, a, b)).toEqual([LIMITED]);
  expect(routesOf(models, b)).toEqual([LIMITED]);
  expect(routesOf(models, plainRoute("b"))).toEqual([{}]);
  expect(routesOf(models)).toEqual([]);
});

test("the order does not depend on what was there before", () => {
  const [limited, plain] = [plainRoute("a", LIMITED), plainRoute("b")];
  const models = new ConfModels();
  routesOf(models, plain);
  expect(routesOf(models, limited, plain)).toEqual(routesOf(new ConfModels(), limited, plain));
});
