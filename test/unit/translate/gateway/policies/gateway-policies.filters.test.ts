import { fc } from "../../../../support/fast-check.js";
import type { ExternalAuthFilter } from "../../../../../src/api/gateway.js";
import { placeOf } from "../../../../../src/translate/place.js";
import type { AuthRef } from "../../../../../src/translate/gateway/model.js";
import { sanitizePrefix } from "../../../../../src/translate/gateway/policies/external-auth.js";
import { type Harness, harness } from "../../../../support/policies-harness.js";

const BASE = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: infra}
spec:
  gatewayClassName: albc
  listeners:
    - {name: plain, port: 80, protocol: HTTP}
    - name: guarded
      port: 81
      protocol: HTTP
      filters:
        requests:
          - {type: ExtensionRef, extensionRef: {group: crd.alauda.io, kind: AuthPolicy, name: gate}}
          - type: ExternalAuth
            externalAuth: {protocol: HTTP, backendRef: {name: decider, port: 80}, http: {}}
    - name: lost
      port: 82
      protocol: HTTP
      filters:
        requests:
          - {type: ExtensionRef, extensionRef: {group: crd.alauda.io, kind: AuthPolicy, name: gone}}
    - name: odd
      port: 83
      protocol: HTTP
      filters: {requests: [{type: CORS}]}
---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: {name: gate, namespace: infra}
spec: {forward: {url: http://auth.example/}}
---
apiVersion: v1
kind: Service
metadata: {name: decider, namespace: infra}
spec: {ports: [{port: 80}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web, namespace: apps}
spec: {parentRefs: [{name: edge, namespace: infra}]}
---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: {name: login, namespace: apps}
spec: {forward: {url: http://auth.example/}}
---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: {name: nothing, namespace: apps}
spec: {}
---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: {name: unreadable, namespace: apps}
spec: {targetRefs: 5}
---
apiVersion: v1
kind: Service
metadata: {name: auth, namespace: apps}
spec: {ports: [{port: 80, name: http}, {port: 443, name: https, appProtocol: https}]}
---
apiVersion: v1
kind: Service
metadata: {name: outside, namespace: apps}
spec: {type: ExternalName, externalName: auth.example, ports: [{port: 80}]}
`;

function extension(given: Harness, name: string, kind = "AuthPolicy"): AuthRef {
  const place = placeOf(given.route("web"), "spec", "rules", 0, "filters", 0);
  return given.answers.extension({ group: "crd.alauda.io", kind, name }, place);
}

describe("an ExtensionRef filter", () => {
  test("gives the ids of the AuthPolicy of its namespace, whose status says so", () => {
    const given = harness(BASE);
    expect(extension(given, "login")).toEqual({ ok: true, auth: ["authpolicy/apps/login"] });
    expect(given.conditions("login")).toEqual(["Gateway/edge Accepted=True/Accepted"]);
  });

  test("that names a policy without settings checks nothing", () => {
    expect(extension(harness(BASE), "nothing")).toEqual({ ok: true, auth: [] });
  });

  test("that names a policy which can't be read is closed by it", () => {
    const given = harness(BASE);
    const ref = extension(given, "unreadable");
    expect(ref).toEqual({ ok: true, auth: ["authpolicy/apps/unreadable"] });
    expect(given.auth("authpolicy/apps/unreadable")?.invalid).toBe("auth is malformed");
  });

  test.each([
    ["gate", "AuthPolicy", "BackendNotFound"],
    ["gone", "AuthPolicy", "BackendNotFound"],
    ["login", "Rule", "InvalidKind"],
  ])("that names %s of kind %s is not ok: %s", (name, kind, reason) => {
    const given = harness(BASE);
    expect(extension(given, name, kind)).toMatchObject({ ok: false, reason });
    expect(given.reports().map(([code, , field]) => [code, field])).toContainEqual([
      "AUTH_FILTER_UNRESOLVED",
      "spec.rules[0].filters[0].extensionRef",
    ]);
  });
});

test("a listener that serves uses the policies of its filters, even if its own status looks none up", () => {
  // As with a second certificate that is missing: ResolvedRefs says that alone.
  const given = harness(BASE);
  expect(given.conditions("gate")).toEqual(["Gateway/edge Accepted=True/Accepted"]);
  expect(given.auth("authpolicy/infra/gate")?.forward?.host).toEqual(["auth.example"]);
});

describe("an ExternalAuth filter", () => {
  function externalAuth(given: Harness, filter: Partial<ExternalAuthFilter> = {}): AuthRef {
    const whole = { protocol: "HTTP", backendRef: { name: "auth", port: 80 }, http: {}, ...filter };
    const place = placeOf(given.route("web"), "spec", "rules", 0, "filters", 1);
    return given.answers.externalAuth(whole, place, [given.gateway("edge")]);
  }

  /** The policy of an answer that is ok. */
  function policyOf(given: Harness, ref: AuthRef) {
    return ref.ok ? given.auth(ref.auth[0] ?? "") : undefined;
  }

  test("asks the Service, with headers in lower case and the size of bodies", () => {
    const given = harness(BASE);
    const ref = externalAuth(given, {
      http: {
        path: "/check/../decide/",
        allowedHeaders: ["X-Session", "Cookie", "x-session", "Connection"],
        allowedResponseHeaders: ["X-User"],
      },
      forwardBody: { maxSize: 1024 },
    });
    expect(policyOf(given, ref)).toMatchObject({
      source: "spec.rules[0].filters[1]",
      external: {
        scheme: "http",
        host: ["auth.apps.svc.cluster.local"],
        port: ["80"],
        target: ["/decide"],
        upstream: "apps/auth/80",
        headers: ["cookie", "x-session"],
        responseHeaders: ["x-user"],
        maxBody: 1024,
      },
    });
    expect(given.build.backends.collected().map(({ id }) => id)).toContain("apps/auth/80");
  });

  test("speaks TLS to a port that says so", () => {
    const given = harness(BASE);
    const ref = externalAuth(given, { backendRef: { name: "auth", port: 443 } });
    expect(policyOf(given, ref)?.external?.scheme).toBe("https");
  });

  test.each<[string, Partial<ExternalAuthFilter>, string]>([
    ["a missing Service", { backendRef: { name: "gone", port: 80 } }, "BackendNotFound"],
    ["a missing port", { backendRef: { name: "auth", port: 81 } }, "BackendNotFound"],
    ["no port", { backendRef: { name: "auth" } }, "BackendNotFound"],
    ["an ExternalName", { backendRef: { name: "outside", port: 80 } }, "BackendNotFound"],
    ["another kind", { backendRef: { kind: "Pod", name: "auth", port: 80 } }, "InvalidKind"],
    [
      "another namespace",
      { backendRef: { name: "decider", namespace: "infra", port: 80 } },
      "RefNotPermitted",
    ],
    ["protocol GRPC", { protocol: "GRPC", grpc: {} }, "UnsupportedProtocol"],
  ])("with %s is not ok", (_what, filter, reason) => {
    const given = harness(BASE);
    expect(externalAuth(given, filter)).toMatchObject({ ok: false, reason });
    expect(given.reports().map(([code]) => code)).toContain("AUTH_FILTER_UNRESOLVED");
    expect(given.build.auth.collected().auths).toEqual([]);
  });

  test("may name a Service of another namespace with a ReferenceGrant", () => {
    const grant = `
---
apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: {name: auth, namespace: infra}
spec:
  from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: apps}]
  to: [{group: "", kind: Service}]
`;
    const given = harness(BASE + grant);
    const backendRef = { name: "decider", namespace: "infra", port: 80 };
    expect(policyOf(given, externalAuth(given, { backendRef }))?.external?.upstream).toBe(
      "infra/decider/80",
    );
  });

  test("is closed when the Service has a BackendTLSPolicy", () => {
    const given = harness(`${BASE}
---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: auth, namespace: apps}
spec:
  targetRefs: [{group: "", kind: Service, name: auth}]
  validation: {hostname: auth.example, wellKnownCACertificates: System}
`);
    expect(policyOf(given, externalAuth(given))?.invalid).toMatch(/has a BackendTLSPolicy/);
    expect(given.reports().map(([code]) => code)).toContain("AUTH_UNSUPPORTED");
  });

  test("is closed rather than copy every header when no listed one can be", () => {
    const given = harness(BASE);
    const ref = externalAuth(given, {
      http: { allowedResponseHeaders: ["Host", "Content-Length"] },
    });
    expect(policyOf(given, ref)?.invalid).toBe("allowedResponseHeaders has no usable name");
  });

  test("reports names in allowedResponseHeaders that never reach the backend", () => {
    const given = harness(BASE);
    const ref = externalAuth(given, {
      http: { allowedResponseHeaders: ["X-User", "X-Real-IP", "Host"] },
    });
    expect(policyOf(given, ref)?.external?.responseHeaders).toEqual(["x-real-ip", "x-user"]);
    expect(given.reports()).toContainEqual([
      "AUTH_SETTING_WITHOUT_EFFECT",
      "HTTPRoute apps/web",
      "spec.rules[0].filters[1].externalAuth.http.allowedResponseHeaders",
      "allowedResponseHeaders names headers that are not copied: X-Real-IP is what the gateway itself tells backends; Host belongs to the connection",
    ]);
  });
});

describe("filters of a listener", () => {
  test("are auths of the Gateway's namespace, in order", () => {
    const { policies, listener, auth } = harness(BASE);
    expect(policies.listenerFilters(listener("edge/plain"))).toEqual({ ok: true, auth: [] });
    const guarded = policies.listenerFilters(listener("edge/guarded"));
    expect(guarded.ok && guarded.auth.map((id) => auth(id)?.source.slice(0, 3))).toEqual([
      ["AuthPolicy", "infra", "gate"],
      ["Gateway", "infra", "edge"],
    ]);
  });

  test.each([
    ["lost", "BackendNotFound"],
    ["odd", "InvalidKind"],
  ])("of %s close it: %s", (name, reason) => {
    const { policies, listener } = harness(BASE);
    expect(policies.listenerFilters(listener(`edge/${name}`))).toMatchObject({
      ok: false,
      reason,
    });
  });
});

describe("the prefix of an ExternalAuth filter", () => {
  test.each([
    ["", ""],
    ["/", ""],
    ["/auth", "/auth"],
    ["auth", "/auth"],
    ["/auth//check/", "/auth/check"],
    ["/a/./b/../c", "/a/c"],
    ["/../../a", "/a"],
    ["/a/%2e%2E/b", "/b"],
    ["/a?b#c", "/a%3Fb%23c"],
    ["/a\r\nX: y", "/a%0D%0AX:%20y"],
    ["/ü", "/%C3%BC"],
    ["/100%", "/100%25"],
  ])("%j becomes %j", (path, prefix) => {
    expect(sanitizePrefix(path)).toBe(prefix);
  });

  test("is legal, has no dot segments, and does not change again", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.string({ unit: fc.constantFrom("/", ".", "%", "2", "e", "E", "f", "?", "a") }),
        ),
        (path) => {
          const prefix = sanitizePrefix(path);
          expect(prefix).toMatch(/^(?:\/(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~!$&'()*+,;=:@])+)*$/);
          expect(new URL(`http://a${prefix}/x`).pathname).toBe(`${prefix}/x`);
          expect(sanitizePrefix(prefix)).toBe(prefix);
        },
      ),
    );
  });
});
