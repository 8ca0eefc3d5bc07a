import { ingress, nginx, prefix, rules, service, translated } from "../../../support/translated.js";

const WEB = service("web");

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

  it.each([
    ["longer first, in bytes", ["/aé", "/abcd", "/abc"], ["/abcd", "/aé", "/abc"]],
    ["then the greater text", ["/()(.*)", "/oauth2", "/Oauth2"], ["/oauth2", "/Oauth2", "/()(.*)"]],
    ["an escape is one character", ["/\\.x", "/aaa"], ["/aaa", "/\\.x"]],
  ])("are ordered by the text: %s", (_, paths, expected) => {
    const annotations = nginx({ "use-regex": "true" });
    const one = (path: string, i: number) =>
      ingress(`i${String(i)}`, {
        annotations,
        created: `202${String(i)}-01-01T00:00:00Z`,
        spec: rules({ "a.example": [path] }),
      });
    const shown = translated(paths.map(one).join("") + WEB).tried(80);
    expect(shown.map((line) => line.replace(/^a.example regex \^(.*) → .*$/, "$1"))).toEqual(
      expected,
    );
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
      "b.example prefix / → ingress/default/b/1-0",
      "a.example regex ^/bb → ingress/default/b/0-0",
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
    const { route, config } = translated(yaml);
    expect(config.auths).toHaveLength(1);
    expect(route("ingress/default/web/default").auth).toEqual(config.auths.map(({ id }) => id));
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

describe("app-root", () => {
  const spec = { rules: [{ host: "a.example", http: { paths: [prefix("/", "web", "Exact")] } }] };
  const annotations = nginx({ "app-root": "/app" });

  it("comes before every rule for /", () => {
    const { tried, route } = translated(ingress("web", { annotations, spec }) + WEB);
    expect(tried(80)).toEqual([
      "a.example exact / → ingress/default/web/app-root",
      "a.example exact / → ingress/default/web/0-0",
    ]);
    expect(route("ingress/default/web/app-root").redirect).toEqual({ status: 302, url: ["/app"] });
  });

  it("that can't be read closes / alone", () => {
    const wrong = ingress("web", { annotations: nginx({ "app-root": "app" }), spec }) + WEB;
    const { route } = translated(wrong);
    expect(route("ingress/default/web/app-root").refuse?.[0]).toBe(503);
    expect(route("ingress/default/web/0-0").refuse).toBeUndefined();
    const { tried } = translated(wrong, { unsupportedRestrictions: "report" });
    expect(tried(80)).toEqual(["a.example exact / → ingress/default/web/0-0"]);
  });
});
