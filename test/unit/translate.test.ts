import { DiagnosticSink } from "../../src/diagnostics/sink.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import type { Resources } from "../../src/input/resources.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import {
  TranslationMemory,
  endpointReports,
  newEndpoints,
  translateRouting,
  withUpstreams,
} from "../../src/translate.js";
import { ingress, rules, service } from "../support/translated.js";

const SHOP = ingress("shop", { spec: rules({ "a.example": ["/"] }) });
const DESK = ingress("desk", { spec: rules({ "b.example": ["/"] }) });
const GATEWAY = `
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: edge}
spec: {controllerName: ${DEFAULT_OPTIONS.controllerName}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: default}
spec: {gatewayClassName: edge, listeners: [{name: tcp, port: 5000, protocol: TCP}]}
---
apiVersion: gateway.networking.k8s.io/v1alpha2
kind: TCPRoute
metadata: {name: db, namespace: default}
spec: {parentRefs: [{name: gw}], rules: [{backendRefs: [{name: web, port: 80}]}]}
`;

const { resources: FIRST } = resourcesFromYaml(service("web") + SHOP + DESK + GATEWAY);
const { resources: SECOND } = resourcesFromYaml(
  service("web") + SHOP + ingress("desk", { spec: rules({ "c.example": ["/"] }) }) + GATEWAY,
);

function routing(
  resources: Resources,
  memory = new TranslationMemory(),
  options = DEFAULT_OPTIONS,
) {
  const diagnostics = new DiagnosticSink();
  const result = translateRouting(resources, options, diagnostics, memory);
  return { result, reports: diagnostics.sorted() };
}

describe("a translation with a memory", () => {
  it("returns what one without returns, after each change", () => {
    const memory = new TranslationMemory();
    for (const resources of [FIRST, SECOND, SECOND, FIRST]) {
      expect(routing(resources, memory)).toEqual(routing(resources));
    }
  });

  it("follows its options", () => {
    const memory = new TranslationMemory();
    const options = { ...DEFAULT_OPTIONS, httpPort: 8080, allowCrossNamespaceAuth: true };
    routing(FIRST, memory);
    expect(routing(FIRST, memory, options)).toEqual(routing(FIRST, undefined, options));
    expect(routing(FIRST, memory, { ...options })).toEqual(routing(FIRST, undefined, options));
  });

  it("that throws, wherever it is, forgets what it knew, so the next one is whole", () => {
    const fresh = routing(SECOND);
    let thrown = 0;
    for (let at = 1; ; at += 1) {
      const memory = new TranslationMemory();
      routing(FIRST, memory);
      let calls = 0;
      const list: Resources["list"] = (kind) => {
        calls += 1;
        if (calls === at) throw new Error("a bug");
        return SECOND.list(kind);
      };
      const broken = { ...SECOND, list };
      try {
        routing(broken, memory);
        break;
      } catch {
        thrown += 1;
      }
      expect(routing(SECOND, memory)).toEqual(fresh);
    }
    expect(thrown).toBeGreaterThan(20);
  });
});

describe("endpoints", () => {
  const { result } = routing(FIRST);
  const web = { id: "default/web/80", endpoints: [["10.0.0.1", 8080]] };

  it("are added to a routing, for requests and for streams", () => {
    const { config, statuses, objects } = withUpstreams(
      result,
      FIRST,
      newEndpoints(),
      DEFAULT_OPTIONS,
    );
    expect(config).toEqual({ ...result.config, upstreams: [web], streamUpstreams: [web] });
    expect([statuses, objects]).toEqual([result.statuses, result.objects]);
    expect(config.pools).toHaveLength(1);
  });

  it("have their problems reported for both, as of the last look", () => {
    const known = newEndpoints();
    const look = (healthAddress: string, resources: Resources) =>
      withUpstreams(result, resources, known, { ...DEFAULT_OPTIONS, healthAddress }).config;
    const { upstreams, streamUpstreams } = look("10.0.0.1:8080", FIRST);
    const none = [{ ...web, endpoints: [] }];
    expect([upstreams, streamUpstreams]).toEqual([none, none]);
    expect(endpointReports(known).map(({ code }) => code)).toEqual([
      "ENDPOINT_REFUSED",
      "ENDPOINT_REFUSED",
    ]);
    look("10.0.0.1:8080", resourcesFromYaml("").resources);
    expect(endpointReports(known)).toEqual([]);
  });
});
