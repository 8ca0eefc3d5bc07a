/** A route of which everything is closed is not Accepted, and its status gives the reason that `validate` gives. */
import { compile } from "../../../../../src/compile.js";
import { explain, readPolicy } from "../../../../../src/explain/explain.js";
import { parseRequest } from "../../../../../src/explain/request.js";
import { resourcesFromYaml } from "../../../../../src/input/load.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "../../../../../src/model/options.js";
import { contentsOf } from "../../../../../src/render/rendered-file.js";
import type { Condition } from "../../../../../src/status/object-status.js";
import { gateway, httpRoute, object, WEB } from "../../../../support/gateway-route-objects.js";

const LISTENERS = [
  { name: "http", port: 80, protocol: "HTTP" },
  { name: "tls", port: 8443, protocol: "TLS", tls: { mode: "Passthrough" } },
  { name: "tcp", port: 5432, protocol: "TCP" },
  { name: "udp", port: 53, protocol: "UDP" },
];
const NAMED = { hostnames: ["a.example"] };
const KINDS: readonly (readonly [kind: string, spec: object])[] = [
  ["HTTPRoute", NAMED],
  ["GRPCRoute", NAMED],
  ["TLSRoute", NAMED],
  ["TCPRoute", {}],
  ["UDPRoute", {}],
];

function route(kind: string, name: string, spec: object = {}): string {
  const rules = [{ backendRefs: WEB }];
  return object(kind, name, { parentRefs: [{ name: "gw" }], rules, ...spec });
}

function compiled(yaml: string, options: Partial<CompileOptions> = {}) {
  const { resources, diagnostics } = resourcesFromYaml(gateway(LISTENERS) + yaml);
  const compilation = compile(resources, { ...DEFAULT_OPTIONS, ...options });
  const messages = [...diagnostics, ...compilation.diagnostics].map(({ message }) => message);
  return { ...compilation, messages };
}

/** `<status> <reason>: <message>` of the route's condition Accepted. */
function accepted({ statuses }: Pick<ReturnType<typeof compile>, "statuses">, name: string) {
  const status = statuses.find((each) => each.metadata.name === name);
  const parents = status?.status["parents"] as readonly { conditions: readonly Condition[] }[];
  const found = parents[0]?.conditions.find(({ type }) => type === "Accepted");
  return `${found?.status ?? ""} ${found?.reason ?? ""}: ${found?.message ?? ""}`;
}

/** `<status> <source>` of a GET. */
function answer({ files }: Pick<ReturnType<typeof compile>, "files">, url: string): string {
  const file = files.find(({ path }) => path === "policy.json");
  const request = parseRequest({ method: "GET", url, headers: [], client: "192.0.2.1" });
  if (file === undefined || !request.ok) throw new Error("no policy");
  const { answer, route: found } = explain(readPolicy(contentsOf(file)), request.value);
  return `${"status" in answer ? String(answer.status) : answer.kind} ${found?.source.join(" ") ?? ""}`;
}

const FAULT = "spec has no field nonsense";

describe.each(KINDS)("a %s", (kind, spec) => {
  const outcome = ["HTTPRoute", "GRPCRoute"].includes(kind)
    ? "its requests answer 503"
    : "its connections are closed";

  test("that is refused says its mistake", () => {
    const found = compiled(route(kind, "r", { ...spec, nonsense: 1 }));
    expect(found.messages).toContain(FAULT);
    expect(accepted(found, "r")).toBe(
      `False UnsupportedValue: ${outcome}: spec.nonsense: ${FAULT}`,
    );
  });

  test("that nginx refuses says so", () => {
    const reason = "it does not know that";
    const refused = { kind, namespace: "default", name: "r", reason, isLeftOut: false };
    const found = compiled(route(kind, "r", spec), { refusedObjects: [refused] });
    const [message = ""] = found.messages.filter((each) => each.endsWith(reason));
    expect(message).not.toBe("");
    expect(accepted(found, "r")).toBe(`False UnsupportedValue: ${outcome}: ${message}`);
  });
});

const MATCHES = { rules: [{ matches: [{ path: { value: 7 } }], backendRefs: WEB }] };
const NUMBER = "spec.rules[0].matches[0].path.value: value must be a string, but is 7";

describe.each(KINDS.slice(0, 2))(
  "a %s beside a refused route that closes its host",
  (kind, spec) => {
    const broken = route("HTTPRoute", "broken", { ...NAMED, ...MATCHES });

    test("is not accepted, and names that route", () => {
      const found = compiled(broken + route(kind, "r", spec));
      expect(accepted(found, "r")).toBe(
        `False Pending: its requests answer 503 because of HTTPRoute default/broken: ${NUMBER}`,
      );
    });

    test("is accepted if another of its hosts is served", () => {
      const found = compiled(broken + route(kind, "r", { hostnames: ["b.example", "a.example"] }));
      expect(accepted(found, "r")).toMatch(/^True Accepted: /);
    });
  },
);

describe("a TLSRoute beside an older refused one", () => {
  const broken = route("TLSRoute", "broken", { ...NAMED, nonsense: 1 });

  test("is not accepted if that one has all of its hosts", () => {
    const found = compiled(broken + route("TLSRoute", "r", NAMED));
    expect(accepted(found, "r")).toBe(
      `False Pending: its connections are closed because of TLSRoute default/broken: spec.nonsense: ${FAULT}`,
    );
  });

  test("is accepted if another of its hosts is served, or if that one is valid", () => {
    const both = { hostnames: ["a.example", "b.example"] };
    expect(accepted(compiled(broken + route("TLSRoute", "r", both)), "r")).toMatch(/^True /);
    const valid = route("TLSRoute", "broken", NAMED);
    expect(accepted(compiled(valid + route("TLSRoute", "r", NAMED)), "r")).toMatch(/^True /);
  });
});

test("a request names the route that closes it", () => {
  const broken = route("HTTPRoute", "broken", { ...NAMED, ...MATCHES });
  const paths = [{ matches: [{ path: { value: "/x" } }], backendRefs: WEB }];
  const found = compiled(broken + httpRoute("r", paths, NAMED));
  expect(answer(found, "http://a.example/x")).toBe(
    "503 HTTPRoute default broken spec.rules[0].matches[0].path.value",
  );
});

test("a route of a closed namespace is not accepted, and a request names the object that closes it", () => {
  const backend = { service: { name: "web", port: { number: 80 } } };
  const paths = Array.from({ length: 300 }, (_, i) => ({
    ...{ path: `/${String(i)}`, pathType: "Prefix", backend },
  }));
  const rules = [{ host: "huge.example", http: { paths } }];
  const huge = object("Ingress", "huge", { rules }).replace("gateway.networking", "networking");
  const options = { policySize: 32_000, httpPort: 8081, httpsPort: 0 };
  const older = httpRoute("r", [{ backendRefs: WEB }], NAMED).replace(
    '"name":"r"',
    '"name":"r","creationTimestamp":"2024-01-01T00:00:00Z"',
  );
  const found = compiled(huge + older, options);
  const reason = found.messages.find((each) => each.includes("of the policy")) ?? "none";
  expect(accepted(found, "r")).toBe(
    `False Pending: its requests answer 503 because of Ingress default/huge: ${reason}`,
  );
  expect(answer(found, "http://a.example/")).toBe("503 Ingress default huge ");
});

test("a refused TLSRoute closes the connections for its own hostnames", () => {
  const wide = route("TLSRoute", "wide", { hostnames: ["*.example"] });
  const { config } = compiled(wide + route("TLSRoute", "r", { ...NAMED, nonsense: 1 }));
  const names = config.streams.flatMap((stream) => ("names" in stream ? stream.names : []));
  expect(JSON.stringify(names)).toContain("a.example");
});

test("a refused TCPRoute takes no connections from another one", () => {
  const { config } = compiled(route("TCPRoute", "a", { nonsense: 1 }) + route("TCPRoute", "b"));
  expect(config.pools.map(({ id }) => id)).toEqual(["tcproute/default/b"]);
});
