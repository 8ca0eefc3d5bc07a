import {
  alb2,
  ingress,
  nginx,
  prefix,
  rules,
  service,
  translated,
} from "../../../support/translated.js";
import type { Translated } from "../../../support/translated.js";

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

describe("regular expressions", () => {
  const tried = (yaml: string): readonly string[] => translated(yaml + WEB).tried(80);

  it("are all paths of the hosts of an Ingress that says so", () => {
    const spec = {
      rules: [
        {
          host: "a.example",
          http: {
            paths: [prefix("/a.*", "web", "ImplementationSpecific"), prefix("/b", "web", "Exact")],
          },
        },
      ],
    };
    const annotations = nginx({ "use-regex": "true" });
    expect(tried(ingress("web", { annotations, spec }))).toEqual([
      "a.example regex ^/a.* → ingress/default/web/0-0",
      "a.example regex ^/b → ingress/default/web/0-1",
    ]);
  });

  it("hold for the same host in other Ingresses, which are told", () => {
    const result = translated(
      ingress("a", {
        annotations: nginx({ "use-regex": "true" }),
        spec: rules({ "a.example": ["/a"] }),
      }) +
        ingress("b", { spec: rules({ "a.example": ["/bb"], "b.example": ["/"] }) }) +
        WEB,
    );
    expect(result.tried(80)).toEqual([
      "a.example regex ^/bb → ingress/default/b/0-0",
      "b.example prefix / → ingress/default/b/1-0",
      "a.example regex ^/a → ingress/default/a/0-0",
    ]);
    expect(result.reports).toEqual([
      "INGRESS_REGEX_HOST Ingress default/b spec.rules[0].http.paths[0]",
    ]);
  });

  it("are implied by a rewrite-target that is not the path itself", () => {
    const at = (target: string): readonly string[] =>
      tried(
        ingress("web", {
          annotations: nginx({ "rewrite-target": target }),
          spec: rules({ "a.example": ["/a"] }),
        }),
      );
    expect(at("/b")).toEqual(["a.example regex ^/a → ingress/default/web/0-0"]);
    expect(at("/a")).toEqual(["a.example prefix /a/ → ingress/default/web/0-0"]);
  });

  it("that are wrong refuse what they could have matched", () => {
    const spec = {
      rules: [
        { host: "a.example", http: { paths: [prefix("/v(1", "web", "ImplementationSpecific")] } },
      ],
    };
    const result = translated(
      ingress("web", { annotations: nginx({ "use-regex": "true" }), spec }) + WEB,
    );
    expect(result.tried(80)).toEqual(["a.example start /v → ingress/default/web/0-0"]);
    expect(result.route("ingress/default/web/0-0").refuse).toEqual([
      500,
      "InvalidRule : invalid cfg path",
    ]);
  });
});

describe("paths of type ImplementationSpecific", () => {
  const at = (path: string, options: { readonly alb: boolean }): Translated =>
    translated(
      (options.alb ? alb2("alb", { projects: ["ALL_ALL"] }) : "") +
        ingress("web", {
          spec: {
            rules: [
              {
                host: "a.example",
                http: { paths: [prefix(path, "web", "ImplementationSpecific")] },
              },
            ],
          },
        }) +
        WEB,
    );

  it.each([
    ["/admin.*", "regex ^/admin.*"],
    ["/v1:run", "regex ^/v1:run"],
    ["/(a|b)", "regex ^/(a|b)"],
    ["/a\\d", "regex ^/a\\d"],
    ["/admin", "start /admin"],
    ["/a.b+c", "start /a.b+c"],
  ])("%s of an ALB2 is %s", (path, match) => {
    const { tried, reports } = at(path, { alb: true });
    expect(tried(80)).toEqual([`a.example ${match} → ingress/default/web/0-0`]);
    expect(reports).toEqual([]);
  });

  it.each([
    ["/admin.*", true],
    ["/a(b)", true],
    ["/a.b", false],
    ["/v1:run", false],
  ])("%s elsewhere is text, with a warning: %j", (path, warns) => {
    const { tried, reports } = at(path, { alb: false });
    expect(tried(80)).toEqual([`a.example prefix ${path}/ → ingress/default/web/0-0`]);
    const report = "INGRESS_PATH_TEXT Ingress default/web spec.rules[0].http.paths[0].path";
    expect(reports).toEqual(warns ? [report] : []);
  });
});

describe("default backends", () => {
  const backend = { service: { name: "web", port: { number: 80 } } };
  const at = (name: string, spec: object, created = "2024-01-01T00:00:00Z"): string =>
    ingress(name, { created, spec: { defaultBackend: backend, ...spec } });

  it("take what the paths of their Ingress's hosts leave", () => {
    const { tried } = translated(
      at("web", rules({ "a.example": ["/a"] }) as object) +
        ingress("any", { spec: rules({ "": ["/b"] }) }) +
        WEB,
    );
    expect(tried(80)).toEqual([
      "a.example prefix /a/ → ingress/default/web/0-0",
      "a.example any → ingress/default/web/default",
      "prefix /b/ → ingress/default/any/0-0",
    ]);
  });

  it("without rules take what the port leaves, the oldest first", () => {
    const { tried } = translated(
      at("a", {}, "2024-02-01T00:00:00Z") +
        at("b", {}, "2024-01-01T00:00:00Z") +
        ingress("c", { spec: rules({ "": ["/"] }) }) +
        WEB,
    );
    expect(tried(80)).toEqual([
      "prefix / → ingress/default/c/0-0",
      "any → ingress/default/b/default",
      "any → ingress/default/a/default",
    ]);
  });

  it("have the auth of their Ingress", () => {
    const annotations = nginx({ "auth-url": "http://auth.example/" });
    const yaml = ingress("web", { annotations, spec: { defaultBackend: backend } }) + WEB;
    expect(translated(yaml).route("ingress/default/web/default").auth).toEqual([
      "ingress/default/web/default",
    ]);
  });
});

describe("further hosts", () => {
  it("of server-alias get the paths, unless a rule names them", () => {
    const annotations = nginx({ "server-alias": "b.example, c.example" });
    const result = translated(
      ingress("a", { annotations, spec: rules({ "a.example": ["/a"] }) }) +
        ingress("c", { spec: rules({ "c.example": ["/c"] }) }) +
        WEB,
    );
    expect(result.tried(80)).toEqual([
      "a.example prefix /a/ → ingress/default/a/0-0",
      "b.example prefix /a/ → ingress/default/a/0-0",
      "c.example prefix /c/ → ingress/default/c/0-0",
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
