import { Authority, type KeyPair } from "../../../../../e2e/harness/certificates.js";
import { harness } from "../../../../support/policies-harness.js";

const WEB = { namespace: "apps", service: "web", port: 443, portName: "https" };
const OTHER_PORT = { namespace: "apps", service: "web", port: 8443, portName: "admin" };

let ca: string;
let client: KeyPair;

beforeAll(async () => {
  const authority = await Authority.create();
  ca = authority.pair.certificate;
  client = await authority.issue("gateway.example");
});

const GATEWAY = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: infra, generation: 3}
spec: {gatewayClassName: albc, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: apps}
spec: {ports: [{name: https, port: 443}, {name: admin, port: 8443}]}
`;

interface PolicyText {
  readonly name?: string;
  readonly target?: string;
  readonly validation?: string;
  readonly age?: string;
  readonly more?: string;
}

function policy({
  name = "policy",
  target = "{group: '', kind: Service, name: web}",
  validation = `{hostname: ${name}.example, caCertificateRefs: [{group: '', kind: ConfigMap, name: ca}]}`,
  age = "2026-01-01T00:00:00Z",
  more = "",
}: PolicyText = {}): string {
  return `
---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: ${name}, namespace: apps, generation: 7, creationTimestamp: "${age}"}
spec: {targetRefs: [${target}], validation: ${validation}${more}}
`;
}

function authorities(kind: "ConfigMap" | "Secret" = "ConfigMap"): string {
  const value =
    kind === "Secret" ? Buffer.from(ca).toString("base64") : `|\n${ca.replaceAll(/^/gm, "    ")}`;
  return `
---
apiVersion: v1
kind: ${kind}
metadata: {name: ca, namespace: apps}
data:
  ca.crt: ${value}
`;
}

describe("a usable policy", () => {
  test.each(["ConfigMap", "Secret"] as const)(
    "has the authorities of a %s, the name, and the names of its own",
    (kind) => {
      const validation = `{hostname: policy.example, caCertificateRefs: [{group: '', kind: ${kind}, name: ca}],
        subjectAltNames: [{type: Hostname, hostname: a.example}, {type: URI, uri: "spiffe://b/c"}]}`;
      const { policies, gateway, tls, conditions, reports } = harness(
        GATEWAY + authorities(kind) + policy({ validation }),
      );
      const choice = policies.answersOf(gateway("edge")).backendTls([gateway("edge")], WEB);
      if (choice.kind !== "tls") throw new Error(choice.kind);
      expect(choice.tls.id).toMatch(/^[a-z0-9-]+$/);
      const chosen = tls(choice.tls.id);
      expect(chosen).toMatchObject({
        hostname: "policy.example",
        names: [
          ["hostname", "a.example"],
          ["uri", "spiffe://b/c"],
        ],
        authorities: { kind: "pem" },
      });
      expect(chosen).not.toHaveProperty("clientCertificate");
      const pem = chosen?.authorities.kind === "pem" ? chosen.authorities.pem : "";
      expect(pem.replaceAll(/\s/g, "")).toBe(ca.replaceAll(/\s/g, ""));
      expect(conditions("policy")).toEqual([
        "Gateway/edge Accepted=True/Accepted",
        "Gateway/edge ResolvedRefs=True/ResolvedRefs",
      ]);
      expect(reports()).toEqual([]);
    },
  );

  test("has no names of its own if the list has only the hostname", () => {
    const validation = `{hostname: policy.example, wellKnownCACertificates: System,
      subjectAltNames: [{type: Hostname, hostname: policy.example}]}`;
    const { policies, gateway, tls } = harness(GATEWAY + policy({ validation }));
    const choice = policies.answersOf(gateway("edge")).backendTls([gateway("edge")], WEB);
    expect(choice.kind === "tls" ? tls(choice.tls.id) : undefined).not.toHaveProperty("names");
  });

  test("may name the authorities of the machine", () => {
    const { policies, gateway, tls } = harness(
      GATEWAY + policy({ validation: "{hostname: web.example, wellKnownCACertificates: System}" }),
    );
    const choice = policies.answersOf(gateway("edge")).backendTls([gateway("edge")], WEB);
    expect(choice.kind === "tls" ? tls(choice.tls.id)?.authorities : undefined).toEqual({
      kind: "system",
    });
  });

  test("says nothing about a Service of the same name elsewhere", () => {
    const { policies, gateway } = harness(GATEWAY + authorities() + policy());
    expect(
      policies
        .answersOf(gateway("edge"))
        .backendTls([gateway("edge")], { ...WEB, namespace: "infra" }),
    ).toEqual({
      kind: "none",
    });
  });

  test("is told that its options do nothing", () => {
    const { reports } = harness(
      GATEWAY + authorities() + policy({ more: ", options: {example.com/min: '1.3'}" }),
    );
    expect(reports().map(([code]) => code)).toEqual(["SETTING_UNSUPPORTED"]);
  });
});

describe("of several policies", () => {
  const younger = policy({ name: "a-younger", age: "2026-02-01T00:00:00Z" });

  test("the older one is in force, the other one in conflict", () => {
    const { policies, gateway, tls, conditions, reports } = harness(
      GATEWAY + authorities() + policy() + younger,
    );
    const choice = policies.answersOf(gateway("edge")).backendTls([gateway("edge")], WEB);
    expect(choice.kind === "tls" ? tls(choice.tls.id)?.hostname : undefined).toBe("policy.example");
    expect(conditions("policy")?.[0]).toBe("Gateway/edge Accepted=True/Accepted");
    expect(conditions("a-younger")?.[0]).toBe("Gateway/edge Accepted=False/Conflicted");
    expect(reports().map(([code, object]) => [code, object])).toEqual([
      ["POLICY_CONFLICT", "BackendTLSPolicy apps/a-younger"],
    ]);
  });

  test("one for the port goes before one for the Service, and both are accepted", () => {
    const port = policy({
      name: "for-port",
      age: "2026-02-01T00:00:00Z",
      target: "{group: '', kind: Service, name: web, sectionName: https}",
    });
    const { policies, gateway, tls, conditions, reports } = harness(
      GATEWAY + authorities() + policy() + port,
    );
    const chosen = [WEB, OTHER_PORT].map((backend) => {
      const choice = policies.answersOf(gateway("edge")).backendTls([gateway("edge")], backend);
      return choice.kind === "tls" ? tls(choice.tls.id)?.hostname : choice.kind;
    });
    expect(chosen).toEqual(["for-port.example", "policy.example"]);
    expect(conditions("policy")?.[0]).toBe("Gateway/edge Accepted=True/Accepted");
    expect(conditions("for-port")?.[0]).toBe("Gateway/edge Accepted=True/Accepted");
    expect(reports()).toEqual([]);
  });

  test("an older one that can't be used does not give way", () => {
    const broken = policy({
      name: "broken",
      age: "2025-01-01T00:00:00Z",
      validation: "{hostname: web.example, wellKnownCACertificates: example.com/mine}",
    });
    const { policies, gateway } = harness(GATEWAY + authorities() + policy() + broken);
    expect(policies.answersOf(gateway("edge")).backendTls([gateway("edge")], WEB).kind).toBe(
      "refused",
    );
  });
});

describe("a policy that can't be used refuses the backend and says why:", () => {
  const INVALID_REF = ["NoValidCACertificate", "InvalidCACertificateRef"];
  const refs = (...entries: readonly string[]): string =>
    `{hostname: policy.example, caCertificateRefs: [${entries.join(", ")}]}`;

  test.each<[string, string, readonly string[]]>([
    ["a missing ConfigMap", refs("{group: '', kind: ConfigMap, name: gone}"), INVALID_REF],
    ["one without ca.crt", refs("{group: '', kind: ConfigMap, name: keyless}"), INVALID_REF],
    ["an empty ca.crt", refs("{group: '', kind: ConfigMap, name: empty}"), INVALID_REF],
    ["a malformed ca.crt", refs("{group: '', kind: ConfigMap, name: malformed}"), INVALID_REF],
    ["a ca.crt of 256 KiB", refs("{group: '', kind: ConfigMap, name: large}"), INVALID_REF],
    [
      "another kind",
      refs("{group: example.com, kind: Bundle, name: ca}"),
      ["NoValidCACertificate", "InvalidKind"],
    ],
    [
      "unknown authorities",
      "{hostname: web.example, wellKnownCACertificates: example.com/mine}",
      ["Invalid", "ResolvedRefs"],
    ],
    [
      "an unknown type of name",
      "{hostname: web.example, wellKnownCACertificates: System, subjectAltNames: [{type: Email}]}",
      ["Invalid", "ResolvedRefs"],
    ],
  ])("%s", (_what, validation, [accepted, resolved]) => {
    const maps = `
---
apiVersion: v1
kind: ConfigMap
metadata: {name: keyless, namespace: apps}
data: {other: x}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: empty, namespace: apps}
data: {ca.crt: ""}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: malformed, namespace: apps}
data: {ca.crt: "-----BEGIN CERTIFICATE-----\\nnope\\n-----END CERTIFICATE-----"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: large, namespace: apps}
data:
  ca.crt: ${JSON.stringify(ca + "x".repeat(256 * 1024))}
`;
    const { policies, gateway, conditions, reports } = harness(
      GATEWAY + maps + policy({ validation }),
    );
    expect(policies.answersOf(gateway("edge")).backendTls([gateway("edge")], WEB)).toEqual({
      kind: "refused",
      refuse: [500, "InvalidBackend : invalid cfg BackendTLSPolicy apps/policy can't be used"],
    });
    const status = resolved === "ResolvedRefs" ? "True" : "False";
    expect(conditions("policy")).toEqual([
      `Gateway/edge Accepted=False/${String(accepted)}`,
      `Gateway/edge ResolvedRefs=${status}/${String(resolved)}`,
    ]);
    expect(reports().map(([code]) => code)).toEqual(["BACKEND_TLS_INVALID"]);
  });

  test("one bad reference beside a good one leaves the good one's authorities", () => {
    const validation = refs(
      "{group: '', kind: ConfigMap, name: gone}",
      "{group: '', kind: ConfigMap, name: ca}",
    );
    const { policies, gateway, conditions } = harness(
      GATEWAY + authorities() + policy({ validation }),
    );
    expect(policies.answersOf(gateway("edge")).backendTls([gateway("edge")], WEB).kind).toBe("tls");
    expect(conditions("policy")).toEqual([
      "Gateway/edge Accepted=True/Accepted",
      "Gateway/edge ResolvedRefs=False/InvalidCACertificateRef",
    ]);
  });
});

describe("targets", () => {
  test("a port's name that the Service lacks is not found", () => {
    const target = "{group: '', kind: Service, name: web, sectionName: nope}";
    const { policies, gateway, conditions, reports } = harness(
      GATEWAY + authorities() + policy({ target }),
    );
    expect(policies.answersOf(gateway("edge")).backendTls([gateway("edge")], WEB)).toEqual({
      kind: "none",
    });
    expect(conditions("policy")?.[0]).toBe("Gateway/edge Accepted=False/TargetNotFound");
    expect(reports().map(([code]) => code)).toEqual(["POLICY_TARGET_NOT_FOUND"]);
  });

  test("a missing Service is not found; only Gateways that name it are told", () => {
    const target = "{group: '', kind: Service, name: gone}";
    const { policies, gateway, conditions } = harness(GATEWAY + authorities() + policy({ target }));
    expect(conditions("policy")).toBeUndefined();
    policies.answersOf(gateway("edge")).backendTls([gateway("edge")], { ...WEB, service: "gone" });
    expect(conditions("policy")?.[0]).toBe("Gateway/edge Accepted=False/TargetNotFound");
  });

  test("of other kinds are reported and covered by nobody", () => {
    const target = "{group: gateway.networking.k8s.io, kind: Gateway, name: edge}";
    const { conditions, reports } = harness(GATEWAY + authorities() + policy({ target }));
    expect(conditions("policy")).toBeUndefined();
    expect(reports().map(([code]) => code)).toEqual(["POLICY_TARGET_UNSUPPORTED"]);
  });
});

describe("a policy that an API server would refuse", () => {
  const broken = policy({ name: "broken", validation: "{hostname: 5}" });

  test("closes the Services that it names, and no others", () => {
    const { policies, gateway } = harness(GATEWAY + broken);
    const answers = policies.answersOf(gateway("edge"));
    const kindOf = (backend: typeof WEB) => answers.backendTls([gateway("edge")], backend).kind;
    expect(kindOf(WEB)).toBe("refused");
    expect(kindOf({ ...WEB, service: "other" })).toBe("none");
  });
});

describe("the Gateway's client certificate", () => {
  const withClient = GATEWAY.replace(
    "spec: {gatewayClassName: albc,",
    "spec: {gatewayClassName: albc, tls: {backend: {clientCertificateRef: {name: client}}},",
  );
  const secret = (): string => `
---
apiVersion: v1
kind: Secret
metadata: {name: client, namespace: infra}
type: kubernetes.io/tls
data:
  tls.crt: ${Buffer.from(client.certificate).toString("base64")}
  tls.key: ${Buffer.from(client.key).toString("base64")}
`;

  test("is shown to backends with a policy, and to those that ask for TLS themselves", () => {
    const { policies, gateway, tls, build } = harness(
      withClient +
        secret() +
        authorities() +
        policy({ target: "{group: '', kind: Service, name: web, sectionName: https}" }),
    );
    const ids = [WEB, { ...OTHER_PORT, tls: true }].map((backend) => {
      const choice = policies.answersOf(gateway("edge")).backendTls([gateway("edge")], backend);
      return choice.kind === "tls" ? choice.tls.id : choice.kind;
    });
    const [certificate] = build.certificates.collected();
    expect(certificate).toBeDefined();
    expect(ids.map((id) => tls(id)?.clientCertificate)).toEqual([certificate?.id, certificate?.id]);
    expect(tls(ids[1] ?? "")).toMatchObject({ authorities: { kind: "none" } });
    expect(policies.answersOf(gateway("edge")).backendTls([gateway("edge")], OTHER_PORT)).toEqual({
      kind: "none",
    });
  });

  test("that can't be read is not shown; the server's certificate is checked all the same", () => {
    const { policies, gateway, tls } = harness(withClient + authorities() + policy());
    const choice = policies.answersOf(gateway("edge")).backendTls([gateway("edge")], WEB);
    const chosen = choice.kind === "tls" ? tls(choice.tls.id) : undefined;
    expect(chosen?.authorities.kind).toBe("pem");
    expect(chosen).not.toHaveProperty("clientCertificate");
  });
});

test("Gateways of other namespaces take no place in a status from those of the policy's own", () => {
  const [edge = "", services = ""] = GATEWAY.split("---");
  const at = (name: string, namespace: string, created: string): string =>
    edge.replace(
      "name: edge, namespace: infra",
      `name: ${name}, namespace: ${namespace}, creationTimestamp: "${created}"`,
    );
  const others = Array.from({ length: 16 }, (_, i) =>
    at(`g${String(i)}`, "infra", "2024-01-01T00:00:00Z"),
  );
  const { policies, build, gateway, conditions } = harness(
    [...others, at("own", "apps", "2025-01-01T00:00:00Z"), services].join("---") +
      authorities() +
      policy(),
  );
  for (const i of others.keys())
    policies.answersOf(gateway(`g${String(i)}`)).backendTls([gateway(`g${String(i)}`)], WEB);
  const own = build.resources.get("Gateway", "apps", "own");
  if (own === undefined) throw new Error("there is no Gateway");
  expect(policies.answersOf(own).backendTls([own], WEB).kind).toBe("tls");
  expect(conditions("policy")).toHaveLength(2 * 16);
  expect(conditions("policy")?.[0]).toContain("own");
});

test("a status never grows over sixteen entries, those of others counted", () => {
  const gateways = Array.from({ length: 16 }, (_, i) =>
    GATEWAY.split("---")[0]?.replace("name: edge", `name: g${String(i)}`),
  ).join("---");
  const foreign = policy().replace(
    "\nspec:",
    `\nstatus: {ancestors: [{ancestorRef: {name: x}, controllerName: example.com/other}]}\nspec:`,
  );
  const { policies, gateway, conditions, reports } = harness(
    `${gateways}---${GATEWAY.split("---")[1] ?? ""}${authorities()}${foreign}`,
  );
  for (let i = 0; i < 16; i++)
    policies.answersOf(gateway(`g${String(i)}`)).backendTls([gateway(`g${String(i)}`)], WEB);
  expect(conditions("policy")).toHaveLength(2 * 15);
  expect(reports().map(([code]) => code)).toEqual(["POLICY_STATUS_FULL"]);
});
