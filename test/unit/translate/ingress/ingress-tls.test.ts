import { type KeyPair, selfSigned } from "../../../../e2e/harness/certificates.js";
import {
  type Translated,
  alb2,
  frontend,
  ingress,
  rule,
  rules,
  service,
  translated,
} from "../../../support/translated.js";

const WEB = service("web");
const SPEC = rules({ "a.example": ["/"], "b.example": ["/"], "c.test": ["/"] }) as object;

let pairs: Readonly<Record<"a" | "b" | "wild", KeyPair>>;

beforeAll(async () => {
  const [a, b, wild] = await Promise.all([
    selfSigned("a.example"),
    selfSigned("b.example"),
    selfSigned("*.example", "c.test"),
  ]);
  pairs = { a, b, wild };
});

function tls(name: string, pair: KeyPair, namespace = "default"): string {
  const stringData = { "tls.crt": pair.certificate, "tls.key": pair.key };
  const metadata = { name, namespace };
  const object = { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata };
  return `\n---\n${JSON.stringify({ ...object, stringData })}\n`;
}

/** The secret's name that each host's certificate is from, as `<server> <host key> <secret>`. */
function served(result: Translated, names: Readonly<Record<string, KeyPair>>): readonly string[] {
  const { certificates } = result.config;
  return result.certificates().map((line) => {
    const [server = "", host = "", position = "-1"] = line.split(" ");
    const key = certificates[Number(position)]?.key.reveal();
    const name = Object.keys(names).find((each) => sameKey(names[each], key));
    return `${server} ${host} ${name ?? "?"}`;
  });
}

function sameKey(pair: KeyPair | undefined, key: string | undefined): boolean {
  const content = (pem = ""): string => pem.replace(/-----[^-]+-----|\s/g, "");
  return pair !== undefined && content(pair.key) === content(key);
}

describe("the certificates of Ingresses", () => {
  it.each([
    ["nothing else", {}, "default", true],
    ["another host", { "b.example": ["/"] }, "default", true],
    ["an Ingress for every host", { "": ["/"] }, "n", true],
    ["its host in its namespace", { "a.example": ["/x"] }, "default", false],
    ["its host in another namespace", { "a.example": ["/x"] }, "n", false],
    ["the wildcard above it", { "*.example": ["/x"] }, "n", false],
  ] as const)("of a refused one are for hosts that no object names: %s", (...row) => {
    const [, hosts, namespace, isServed] = row;
    const spec = { ...SPEC, tls: [{ hosts: ["a.example"], secretName: "a" }], bogus: 1 };
    const others = WEB + tls("a", pairs.a) + ingress("other", { spec: rules(hosts), namespace });
    const [result, without] = [translated(others + ingress("i", { spec })), translated(others)];
    expect(served(result, pairs)).toEqual(isServed ? ["p443 a.example a"] : []);
    expect(result.reports).toEqual(without.reports);
    const own = result.config.routes.filter(({ source }) => source[2] === "other");
    expect(own).toEqual(without.config.routes);
  });

  it("are for the hosts that spec.tls names", () => {
    const spec = {
      ...SPEC,
      tls: [
        { hosts: ["a.example", "*.b.example"], secretName: "a" },
        { hosts: ["b.example"], secretName: "b" },
        { hosts: ["c.test"] },
      ],
    };
    const result = translated(
      ingress("web", { spec }) + WEB + tls("a", pairs.a) + tls("b", pairs.b),
    );
    expect(served(result, pairs)).toEqual(["p443 a.example a", "p443 b.example b"]);
    expect(result.messages("TLS_HOST_UNUSED")).toEqual([
      "no rule of this Ingress is for *.b.example",
    ]);
  });

  it("without hosts are for the Ingress's hosts that the certificate names", () => {
    const spec = { ...SPEC, tls: [{ secretName: "wild" }] };
    const result = translated(ingress("web", { spec }) + WEB + tls("wild", pairs.wild));
    expect(served(result, pairs)).toEqual([
      "p443 a.example wild",
      "p443 b.example wild",
      "p443 c.test wild",
    ]);
    expect(result.route("ingress/default/web/0-0").redirect?.status).toBe(308);
  });

  it.each([
    rules({ "": ["/"] }) as object,
    { defaultBackend: { service: { name: "web", port: { number: 80 } } } },
  ])("without hosts, of an Ingress for every host, are for all their names", (all) => {
    const spec = { ...all, tls: [{ secretName: "wild" }] };
    const result = translated(ingress("web", { spec }) + WEB + tls("wild", pairs.wild));
    expect(served(result, pairs)).toEqual(["p443 *.example wild", "p443 c.test wild"]);
  });

  it("for another namespace's wildcard are for the names below it that are the namespace's own", () => {
    const at = (name: string, namespace: string, created: string, spec: object): string =>
      ingress(name, { namespace, created: `2024-0${created}-01T00:00:00Z`, spec }) +
      service("web", namespace);
    const wildcard = {
      ...(rules({ "*.example": ["/"] }) as object),
      tls: [{ secretName: "wild" }],
    };
    const result = translated(
      at("a", "old", "1", rules({ "a.example": ["/"] }) as object) +
        at("b", "young", "2", wildcard) +
        at("c", "old", "3", wildcard) +
        tls("wild", pairs.wild, "old"),
    );
    expect(served(result, pairs)).toEqual(["p443 a.example wild"]);
    expect(result.route("ingress/old/a/0-0").redirect).toMatchObject({ scheme: "https" });
  });

  it("for one host are the older Ingress's, and the younger one is told", () => {
    const at = (name: string, created: string): string =>
      ingress(name, {
        created,
        spec: {
          ...(rules({ "a.example": [`/${name}`] }) as object),
          tls: [{ hosts: ["a.example"], secretName: name }],
        },
      });
    const result = translated(
      at("a", "2024-02-01T00:00:00Z") +
        at("b", "2024-01-01T00:00:00Z") +
        WEB +
        tls("a", pairs.a) +
        tls("b", pairs.wild),
    );
    expect(served(result, pairs)).toEqual(["p443 a.example wild"]);
    expect(result.reports).toEqual(["CERTIFICATE_CONFLICT Ingress default/a spec.tls[0]"]);
  });

  it("may stand in the origin's annotation, for hosts that spec.tls does not name", () => {
    const annotations = {
      "alb.networking.cpaas.io/tls": "a.example=default/b, b.example=default/b",
    };
    const spec = { ...SPEC, tls: [{ hosts: ["a.example"], secretName: "a" }] };
    const yaml =
      ingress("web", { annotations, spec }) + WEB + tls("a", pairs.a) + tls("b", pairs.b);
    expect(served(translated(yaml), pairs)).toEqual(["p443 a.example a", "p443 b.example b"]);
  });

  it.each([
    "a.example",
    "a.example=default",
    "a b=default/a",
    "a.example=default/a,a.example=default/b",
  ])("in the annotation %j void all of it", (text) => {
    const annotations = { "alb.networking.cpaas.io/tls": `${text}, b.example=default/b` };
    const result = translated(
      ingress("web", { annotations, spec: SPEC }) + WEB + tls("a", pairs.a) + tls("b", pairs.b),
    );
    expect(result.certificates()).toEqual([]);
    expect(result.reports).toEqual([
      'ANNOTATION_INVALID Ingress default/web metadata.annotations["alb.networking.cpaas.io/tls"]',
    ]);
  });

  it("of another namespace need a ReferenceGrant", () => {
    const annotations = { "alb.networking.cpaas.io/tls": "a.example=shop/a" };
    const yaml = ingress("web", { annotations, spec: SPEC }) + WEB + tls("a", pairs.a, "shop");
    expect(translated(yaml).messages("CERTIFICATE_UNUSABLE")).toEqual([
      "secret shop/a is in another namespace",
    ]);
    const grant = `
---
apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: g, namespace: shop}
spec:
  from: [{group: networking.k8s.io, kind: Ingress, namespace: default}]
  to: [{group: "", kind: Secret, name: a}]
`;
    expect(served(translated(yaml + grant), pairs)).toEqual(["p443 a.example a"]);
  });
});

describe("default certificates", () => {
  it("by the option are for every HTTPS port without one of its own", () => {
    const yaml = tls("a", pairs.a) + ingress("web", { spec: SPEC }) + WEB;
    const result = translated(yaml, { defaultCertificate: "default/a" });
    expect(served(result, pairs)).toEqual(["p443  a"]);
    expect(translated(yaml, { defaultCertificate: "default/x" }).reports).toEqual([
      "CERTIFICATE_UNUSABLE",
    ]);
    expect(translated(yaml, { defaultCertificate: "a" }).reports).toEqual(["CERTIFICATE_UNUSABLE"]);
  });

  it("are the Frontend's, else the ALB2's, else the option's", () => {
    const alb = { projects: ["ALL_ALL"], defaultSSLCert: "default/a" };
    const at = (...more: readonly string[]): readonly string[] =>
      served(
        translated(
          [
            alb2("alb", alb),
            tls("a", pairs.a),
            tls("b", pairs.b),
            tls("w", pairs.wild),
            ...more,
          ].join(""),
          { defaultCertificate: "default/w" },
        ),
        pairs,
      );
    expect(at()).toEqual(["p443  a"]);
    expect(
      at(frontend("ft", "alb", { port: 443, protocol: "https", certificate_name: "default_b" })),
    ).toEqual(["p443  b"]);
    expect(at(frontend("ft", "alb", { port: 444, protocol: "https" }))).toEqual([
      "p443  a",
      "p444  wild",
    ]);
  });
});

describe("the certificate of a Rule", () => {
  const ONE = [{ type: "HOST", values: [["IN", "a.example", "*.example"]] }];
  const at = (spec: object): Translated =>
    translated(
      alb2("alb", { projects: ["ALL_ALL"] }) +
        frontend("ft", "alb", { port: 444, protocol: "https" }) +
        rule("r", { dslx: ONE, certificate_name: "default/a", ...spec }) +
        tls("a", pairs.a),
    );

  it("is for its domain, or for the hosts that it matches", () => {
    expect(served(at({ domain: "b.example" }), pairs)).toEqual(["p444 b.example a"]);
    expect(served(at({}), pairs)).toEqual(["p444 *.example a", "p444 a.example a"]);
  });

  it.each([
    [{ domain: "b b" }, "SETTING_IGNORED Rule cpaas-system/r spec.domain"],
    [{ certificate_name: "a" }, "CERTIFICATE_UNUSABLE Rule cpaas-system/r spec.certificate_name"],
    [
      { certificate_name: "default/x" },
      "CERTIFICATE_UNUSABLE Rule cpaas-system/r spec.certificate_name",
    ],
  ])("%j is reported", (spec, report) => {
    expect([...new Set(at(spec).reports)]).toEqual([report]);
  });
});

describe("a Secret that is not there", () => {
  const spec = { ...SPEC, tls: [{ hosts: ["a.example"], secretName: "a" }] };
  const yaml = ingress("web", { spec }) + WEB;

  it("is reported, and its hosts are bound to HTTPS all the same", () => {
    const result = translated(yaml);
    expect(result.messages("CERTIFICATE_UNUSABLE")).toEqual(["there is no Secret default/a"]);
    expect(result.tried(443)).toHaveLength(3);
  });

  it("leaves the redirect: the default certificate answers", () => {
    expect(translated(yaml).route("ingress/default/web/0-0").redirect).toMatchObject({
      scheme: "https",
    });
  });
});

describe("spec.tls", () => {
  const at = (entries: readonly object[], options = {}, annotations = {}): Translated =>
    translated(
      ingress("web", { annotations, spec: { ...SPEC, tls: entries } }) +
        WEB +
        tls("a", pairs.a) +
        tls("wild", pairs.wild),
      options,
    );

  it("redirects every host of a rule, unless ssl-redirect is false", () => {
    const entries = [{ hosts: ["a.example"], secretName: "a" }];
    const redirects = ({ route }: Translated): readonly unknown[] =>
      [0, 1, 2].map((rule) => route(`ingress/default/web/${String(rule)}-0`).redirect?.scheme);
    expect(redirects(at(entries))).toEqual(["https", "https", "https"]);
    const annotations = { "nginx.ingress.kubernetes.io/ssl-redirect": "false" };
    expect(redirects(at(entries, {}, annotations))).toEqual([undefined, undefined, undefined]);
  });

  it("gives each host the first certificate that is for it", () => {
    const entries = [{ hosts: ["a.example", "c.test"], secretName: "a" }, { secretName: "wild" }];
    expect(served(at(entries), pairs)).toEqual([
      "p443 a.example a",
      "p443 b.example wild",
      "p443 c.test wild",
    ]);
  });

  it.each([
    [
      "without a secretName",
      [{ hosts: ["*.example", "c.test"] }],
      {},
      [
        "no certificate is for a.example, b.example, c.test: its TLS has no secretName, so clients get a self-signed one and refuse it",
      ],
    ],
    [
      "that does not name a host",
      [{ hosts: ["a.example"], secretName: "a" }],
      {},
      [
        "no certificate is for b.example, c.test: its TLS does not name it, so clients get a self-signed one and refuse it",
      ],
    ],
    [
      "whose Secret is for others",
      [{ hosts: ["a.example", "b.example"], secretName: "a" }, { hosts: ["c.test"] }],
      { defaultCertificate: "default/wild" },
      [],
    ],
    [
      "whose Secret, like the default one, is for others",
      [{ hosts: ["b.example"], secretName: "a" }, { secretName: "wild" }],
      { defaultCertificate: "default/a" },
      [],
    ],
    [
      "whose Secret and the default one are for others",
      [{ hosts: ["b.example"], secretName: "a" }, { hosts: ["c.test"] }],
      { defaultCertificate: "default/a" },
      [
        "no certificate is for b.example: its TLS names Secret default/a, whose certificate is not for it, so clients get one for other hosts and refuse it",
        "no certificate is for c.test: its TLS has no secretName, so clients get one for other hosts and refuse it",
      ],
    ],
  ])("%s", (_, entries, options, messages) => {
    expect(at(entries, options).messages("TLS_WITHOUT_CERTIFICATE")).toEqual(messages);
  });
});
