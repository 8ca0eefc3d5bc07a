import { ingress, nginx, prefix, rules, service, translated } from "../../../support/translated.js";

const WEB = service("web");

describe("the class of an Ingress", () => {
  const classOf = (spec: object, annotations: Record<string, string> = {}): string =>
    ingress("a", { annotations, spec: { ...(rules({ "a.example": ["/"] }) as object), ...spec } });
  const ingressClass = (name: string, controller: string): string =>
    `\n---\n${JSON.stringify({ apiVersion: "networking.k8s.io/v1", kind: "IngressClass", metadata: { name }, spec: { controller } })}\n`;

  it.each<[string, string, boolean]>([
    ["none", classOf({}), true],
    ["blank", classOf({}, { "kubernetes.io/ingress.class": " " }), true],
    ["the option's", classOf({ ingressClassName: "nginx" }), true],
    [
      "the option's, in the annotation",
      classOf({}, { "kubernetes.io/ingress.class": "nginx" }),
      true,
    ],
    ["another", classOf({ ingressClassName: "other" }), false],
    ["another, in the annotation", classOf({}, { "kubernetes.io/ingress.class": "other" }), false],
    [
      "one whose object has our controller",
      classOf({ ingressClassName: "edge" }) + ingressClass("edge", "k8s.io/ingress-nginx"),
      true,
    ],
    [
      "one whose object has another controller",
      classOf({ ingressClassName: "edge" }) + ingressClass("edge", "example/other"),
      false,
    ],
  ])("%s", (_what, yaml, isServed) => {
    expect(translated(yaml + WEB).tried(80)).toHaveLength(isServed ? 1 : 0);
  });

  it("is needed where the option ingressWithoutClass is off, as in a cluster", () => {
    const result = translated(classOf({}) + WEB, { ingressWithoutClass: false });
    expect(result.tried(80)).toEqual([]);
    expect(result.reports).toEqual(["INGRESS_NOT_SERVED Ingress default/a spec.ingressClassName"]);
  });
});

describe("hosts and paths", () => {
  it("are matched as Kubernetes defines them, the narrowest first", () => {
    const spec = {
      rules: [
        { http: { paths: [prefix("/")] } },
        { host: "*.example", http: { paths: [prefix("/")] } },
        {
          host: "A.example",
          http: {
            paths: [
              prefix("/"),
              prefix("/b/"),
              prefix("/b/c"),
              prefix("/b", "web", "Exact"),
              prefix("/impl", "web", "ImplementationSpecific"),
              {
                pathType: "ImplementationSpecific",
                backend: { service: { name: "web", port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    };
    // Upper case in a host is an API server's to refuse; here only the lower-case name is meant.
    const yaml = ingress("web", { spec }).replace("A.example", "a.example");
    expect(translated(yaml + WEB, { httpsPort: 0 }).tried(80)).toEqual([
      "a.example exact /b → ingress/default/web/2-3",
      "a.example prefix /impl/ → ingress/default/web/2-4",
      "a.example prefix /b/c/ → ingress/default/web/2-2",
      "a.example prefix /b/ → ingress/default/web/2-1",
      "a.example prefix / → ingress/default/web/2-0",
      "a.example prefix / → ingress/default/web/2-5",
      "*.example prefix / → ingress/default/web/1-0",
      "prefix / → ingress/default/web/0-0",
    ]);
  });

  it("of two Ingresses are the older one's, and the younger one is told", () => {
    const at = (name: string, created: string, path = "/"): string =>
      ingress(name, { created, spec: rules({ "a.example": [path] }) });
    const result = translated(
      at("a", "2024-02-01T00:00:00Z") +
        at("b", "2024-01-01T00:00:00Z") +
        at("c", "2024-03-01T00:00:00Z") +
        at("d", "2024-03-01T00:00:00Z", "/d") +
        WEB,
    );
    expect(result.tried(80).at(1)).toBe("a.example prefix / → ingress/default/b/0-0");
    expect(result.reports).toEqual([
      "INGRESS_PATH_SHADOWED Ingress default/a spec.rules[0].http.paths[0]",
      "INGRESS_PATH_SHADOWED Ingress default/c spec.rules[0].http.paths[0]",
    ]);
    expect(new Set(result.messages("INGRESS_PATH_SHADOWED"))).toEqual(
      new Set(["Ingress default/b has the same host and path, and comes first"]),
    );
  });

  it("have the priority that an annotation gives", () => {
    const annotations = {
      "alb.cpaas.io/ingress-rule-priority-0-1": "3",
      "alb.cpaas.io/ingress-rule-priority-0-0": "0",
    };
    const result = translated(
      ingress("web", { annotations, spec: rules({ "a.example": ["/longer", "/"] }) }) + WEB,
    );
    expect(result.tried(80)).toEqual([
      "a.example prefix / → ingress/default/web/0-1",
      "a.example prefix /longer/ → ingress/default/web/0-0",
    ]);
    expect(result.reports).toEqual([
      'ANNOTATION_INVALID Ingress default/web metadata.annotations["alb.cpaas.io/ingress-rule-priority-0-0"]',
    ]);
  });
});

describe("a canary", () => {
  it("is not served", () => {
    const spec = rules({ "a.example": ["/"] });
    const result = translated(
      ingress("a-canary", { annotations: nginx({ canary: "true", "canary-weight": "10" }), spec }) +
        ingress("main", { annotations: nginx({ canary: "false" }), spec }) +
        WEB,
    );
    expect(result.tried(80)).toEqual(["a.example prefix / → ingress/default/main/0-0"]);
    expect([...result.reports].sort()).toEqual([
      'ANNOTATION_UNSUPPORTED Ingress default/a-canary metadata.annotations["nginx.ingress.kubernetes.io/canary-weight"]',
      'INGRESS_CANARY Ingress default/a-canary metadata.annotations["nginx.ingress.kubernetes.io/canary"]',
    ]);
  });
});
