import { type Harness, harness } from "../../../../support/policies-harness.js";

const BASE = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: infra}
spec:
  gatewayClassName: albc
  listeners: [{name: http, port: 80, protocol: HTTP}, {name: other, port: 81, protocol: HTTP}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: more, namespace: apps}
spec:
  parentRef: {name: edge, namespace: infra}
  listeners: [{name: extra, port: 8080, protocol: HTTP}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web, namespace: apps}
spec:
  parentRefs: [{name: edge, namespace: infra}]
  rules: [{name: admin}, {name: rest}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: elsewhere, namespace: apps}
spec: {parentRefs: [{name: another, namespace: infra}]}
`;

interface PolicyText {
  readonly namespace?: string;
  readonly auth?: string;
  readonly age?: string;
}

const FORWARD = "forward: {url: http://auth.example/check}";

/** An AuthPolicy for targets, `<kind>/<name>[#<section>]`. */
function policy(name: string, targets: readonly string[], text: PolicyText = {}): string {
  const { namespace = "apps", auth = FORWARD, age = "2026-01-01T00:00:00Z" } = text;
  const refs = targets.map((target) => {
    const [object = "", section] = target.split("#");
    const [kind = "", referent = ""] = object.split("/");
    const sectionName = section === undefined ? "" : `, sectionName: ${section}`;
    return `{group: gateway.networking.k8s.io, kind: ${kind}, name: ${referent}${sectionName}}`;
  });
  const fields = [...(auth === "" ? [] : [auth]), `targetRefs: [${refs.join(", ")}]`];
  return `
---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: {name: ${name}, namespace: ${namespace}, creationTimestamp: "${age}"}
spec: {${fields.join(", ")}}
`;
}

function attached(
  { policies, answers, route, listener }: Harness,
  { at = "edge/http", rule }: { readonly at?: string; readonly rule?: string } = {},
): readonly string[] {
  const place = listener(at).serves?.listener;
  const inherited = policies.inherited().find(({ id }) => id === place);
  return answers.attached(route("web"), rule) ?? inherited?.policies ?? [];
}

describe("the narrowest policy replaces the others", () => {
  const levels = [
    policy("for-gateway", ["Gateway/edge"], { namespace: "infra" }),
    policy("for-listener", ["Gateway/edge#http"], { namespace: "infra" }),
    policy("for-route", ["HTTPRoute/web"]),
    policy("for-rule", ["HTTPRoute/web#admin"]),
  ];
  const names = ["infra/for-gateway", "infra/for-listener", "apps/for-route", "apps/for-rule"];

  test.each(levels.map((_, i) => i))("with %i narrower levels than the Gateway", (count) => {
    const given = harness(BASE + levels.slice(0, count + 1).join(""));
    expect(attached(given, { rule: "admin" })).toEqual([`authpolicy/${String(names[count])}`]);
  });

  test("a rule's policy is not its siblings', nor a listener's its siblings'", () => {
    const given = harness(BASE + levels.join(""));
    expect(attached(given, { rule: "rest" })).toEqual(["authpolicy/apps/for-route"]);
    const inherited = harness(BASE + levels.slice(0, 2).join(""));
    expect(attached(inherited, { at: "edge/other" })).toEqual(["authpolicy/infra/for-gateway"]);
  });

  test("a ListenerSet's listeners inherit the Gateway's, unless the set or the listener has one", () => {
    const gateway = policy("for-gateway", ["Gateway/edge"], { namespace: "infra" });
    const set = policy("for-set", ["ListenerSet/more"]);
    const listener = policy("for-listener", ["ListenerSet/more#extra"]);
    const of = (yaml: string): readonly string[] =>
      attached(harness(BASE + yaml), { at: "more/extra" });
    expect(of(gateway)).toEqual(["authpolicy/infra/for-gateway"]);
    expect(of(gateway + set)).toEqual(["authpolicy/apps/for-set"]);
    expect(of(gateway + set + listener)).toEqual(["authpolicy/apps/for-listener"]);
  });

  test("one that configures nothing switches inherited auth off", () => {
    const off = policy("disabling", ["HTTPRoute/web"], { auth: "" });
    expect(attached(harness(BASE + levels.slice(0, 2).join("") + off))).toEqual([]);
  });

  test("without any there is no auth", () => {
    expect(attached(harness(BASE))).toEqual([]);
  });
});

describe("statuses", () => {
  const accepted = (ancestor: string): string => `${ancestor} Accepted=True/Accepted`;

  test("name the Gateways that what a policy is for belongs to", () => {
    const { conditions, reports } = harness(
      BASE +
        policy("gateway", ["Gateway/edge"], { namespace: "infra" }) +
        policy("listener", ["Gateway/edge#http"], { namespace: "infra" }) +
        policy("set", ["ListenerSet/more"]) +
        policy("route", ["HTTPRoute/web"]),
    );
    expect(conditions("gateway")).toEqual([accepted("Gateway/edge")]);
    expect(conditions("listener")).toEqual([accepted("Gateway/edge#http")]);
    expect(conditions("set")).toEqual([accepted("Gateway/edge")]);
    expect(conditions("route")).toEqual([accepted("Gateway/edge")]);
    expect(reports()).toEqual([]);
  });

  test("say nothing about routes of other Gateways", () => {
    expect(harness(BASE + policy("p", ["HTTPRoute/elsewhere"])).conditions("p")).toBeUndefined();
  });

  test("of two for one object the younger is in conflict", () => {
    const given = harness(
      BASE +
        policy("older", ["HTTPRoute/web"]) +
        policy("a-younger", ["HTTPRoute/web"], { age: "2026-03-01T00:00:00Z" }),
    );
    expect(given.conditions("older")).toEqual([accepted("Gateway/edge")]);
    expect(given.conditions("a-younger")).toEqual(["Gateway/edge Accepted=False/Conflicted"]);
    expect(given.reports().map(([code, object]) => [code, object])).toEqual([
      ["POLICY_CONFLICT", "AuthPolicy apps/a-younger"],
    ]);
    expect(attached(given)).toEqual(["authpolicy/apps/older"]);
  });

  test.each([
    ["HTTPRoute/gone", "TargetNotFound", "POLICY_TARGET_NOT_FOUND"],
    ["GRPCRoute/gone", "TargetNotFound", "POLICY_TARGET_NOT_FOUND"],
    ["Gateway/gone", "TargetNotFound", "POLICY_TARGET_NOT_FOUND"],
    ["ListenerSet/gone", "TargetNotFound", "POLICY_TARGET_NOT_FOUND"],
  ])("tell that %s is %s", (target, reason, code) => {
    const { conditions, reports } = harness(BASE + policy("p", [target]));
    expect(conditions("p")).toEqual([`${target} Accepted=False/${reason}`]);
    expect(reports().map(([each]) => each)).toEqual([code]);
  });

  test("tell that a section is not there", () => {
    const { conditions } = harness(BASE + policy("p", ["HTTPRoute/web#nope"]));
    expect(conditions("p")).toEqual(["Gateway/edge Accepted=False/TargetNotFound"]);
  });

  test("tell that a policy can't be used, which closes what it covers", () => {
    const given = harness(
      BASE + policy("p", ["HTTPRoute/web"], { auth: "basic: {secret: apps/gone}" }),
    );
    expect(given.conditions("p")).toEqual(["Gateway/edge Accepted=False/Invalid"]);
    expect(attached(given)).toEqual(["authpolicy/apps/p"]);
    expect(given.auth("authpolicy/apps/p")?.invalid).toBe("secret apps/gone not found");
  });

  test("a policy that nothing names is reported", () => {
    const { conditions, reports } = harness(BASE + policy("p", []));
    expect(conditions("p")).toBeUndefined();
    expect(reports().map(([code]) => code)).toEqual(["POLICY_UNUSED"]);
  });
});

describe("secrets of other namespaces", () => {
  const secret = `
---
apiVersion: v1
kind: Secret
metadata: {name: users, namespace: infra}
stringData: {auth: "jane:$apr1$lZL6V/ci$PR6QJXkRFUzdUuaYcwrI//"}
`;
  const named = policy("p", ["HTTPRoute/web"], { auth: "basic: {secret: infra/users}" });
  const grant = `
---
apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: {name: users, namespace: infra}
spec:
  from: [{group: crd.alauda.io, kind: AuthPolicy, namespace: apps}]
  to: [{group: "", kind: Secret, name: users}]
`;

  test("are read only with a ReferenceGrant", () => {
    for (const [yaml, usable] of [
      [BASE + secret + named, false],
      [BASE + secret + named + grant, true],
    ] as const) {
      const given = harness(yaml);
      expect(attached(given)).toEqual(["authpolicy/apps/p"]);
      expect(given.auth("authpolicy/apps/p")?.invalid === undefined).toBe(usable);
    }
  });
});

describe("a policy that can't be read", () => {
  test("stays in force for what it names, and closes that", () => {
    const given = harness(BASE + policy("p", ["HTTPRoute/web"], { auth: "basic: 5" }));
    expect(attached(given)).toEqual(["authpolicy/apps/p"]);
    expect(given.auth("authpolicy/apps/p")?.invalid).toBe("auth is malformed");
    expect(given.conditions("p")).toEqual(["Gateway/edge Accepted=False/Invalid"]);
  });

  const unreadable = (namespace: string): string =>
    policy("unreadable", [], { namespace }).replace("targetRefs: []", "targetRefs: 5");

  test("closes nothing when its targets can't be read either", () => {
    expect(attached(harness(BASE + unreadable("apps")))).toEqual([]);
  });
});
