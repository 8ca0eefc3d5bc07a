import type { ExternalAuthFilter } from "../../../../../src/api/gateway.js";
import { placeOf } from "../../../../../src/translate/place.js";
import { translateExternalAuth } from "../../../../../src/translate/gateway/policies/external-auth.js";
import type { BackendTlsChoice } from "../../../../../src/translate/gateway/model.js";
import { harness } from "../../../../support/policies-harness.js";

const WORLD = `
apiVersion: v1
kind: Service
metadata: { name: decider, namespace: apps }
spec: { ports: [{ port: 80, name: http }, { port: 443, name: tls, appProtocol: HTTPS }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web, namespace: apps }
spec: {}
`;

const FILTER: ExternalAuthFilter = { protocol: "HTTP", backendRef: { name: "decider", port: 80 } };

/** The auth that the filter becomes, or why its Service can't be used. */
function translate(filter: Partial<ExternalAuthFilter>, tls: BackendTlsChoice = { kind: "none" }) {
  const { build, route, auth, reports } = harness(WORLD);
  const place = placeOf(route("web"), "spec", "rules", 0, "filters", 0);
  const ref = translateExternalAuth({ ...FILTER, ...filter }, place, () => tls, build);
  return ref.ok ? [auth(ref.auth[0]), reports().map(([code]) => code)] : [ref.reason, ref.message];
}

test("a filter becomes a request to the Service, with the headers that it allows", () => {
  const http = { path: "/check/../auth/", allowedHeaders: ["X-B", "x-a", "X-A"] };
  const [auth, reports] = translate({ http, forwardBody: { maxSize: 10 } });
  expect(auth).toMatchObject({
    source: "spec.rules[0].filters[0]",
    external: {
      scheme: "http",
      host: ["decider.apps.svc.cluster.local"],
      port: ["80"],
      target: ["/auth"],
      upstream: "apps/decider/80",
      headers: ["x-a", "x-b"],
      maxBody: 10,
    },
  });
  expect(reports).toEqual([]);
});

test("the body that the service gets is no longer than what the gateway holds", () => {
  const translated = (maxSize: number) => translate({ forwardBody: { maxSize } });
  expect(translated(131_072)).toMatchObject([{ external: { maxBody: 131_072 } }, []]);
  expect(translated(131_073)).toMatchObject([
    { external: { maxBody: 131_072 } },
    ["AUTH_SETTING_WITHOUT_EFFECT"],
  ]);
});

test("a port with the appProtocol https is asked over TLS", () => {
  const [auth] = translate({ backendRef: { name: "decider", port: 443 } });
  expect(auth).toMatchObject({ external: { scheme: "https" } });
});

test.each([
  [{ protocol: "GRPC" }, "UnsupportedProtocol"],
  [{ backendRef: { kind: "Pod", name: "decider", port: 80 } }, "InvalidKind"],
  [{ backendRef: { name: "decider", namespace: "other", port: 80 } }, "RefNotPermitted"],
  [{ backendRef: { name: "none", port: 80 } }, "BackendNotFound"],
  [{ backendRef: { name: "decider" } }, "BackendNotFound"],
  [{ backendRef: { name: "decider", port: 81 } }, "BackendNotFound"],
])("a filter with %j can't be resolved: %s", (filter, reason) => {
  expect(translate(filter as Partial<ExternalAuthFilter>)[0]).toBe(reason);
});

test("a Service with a BackendTLSPolicy can't be asked, which closes what the filter protects", () => {
  const [auth, reports] = translate({}, { kind: "refused", refuse: [500, "x"] });
  expect(auth).toMatchObject({ invalid: expect.stringContaining("BackendTLSPolicy") as string });
  expect(reports).toEqual(["AUTH_UNSUPPORTED"]);
});

test("a list of answer headers without a usable name would mean all of them, so it closes", () => {
  const [auth, reports] = translate({ http: { allowedResponseHeaders: ["Connection"] } });
  expect(auth).toMatchObject({ invalid: "allowedResponseHeaders has no usable name" });
  expect(reports).toEqual(["AUTH_CONFIG_INVALID"]);
});
