import { type KeyPair, selfSigned } from "../../../e2e/harness/certificates.js";
import type { KubernetesObject } from "../../../src/api/wire.js";
import { DiagnosticSink } from "../../../src/diagnostics/sink.js";
import { resourcesFromObjects } from "../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { ANY_HOST, type HostPattern, hostKey } from "../../../src/model/values.js";
import type { CertificateCandidate } from "../../../src/translate/config-builder.js";
import type { LoadBalancer } from "../../../src/translate/load-balancer.js";
import { collecting } from "../../../src/translate/parts/part.js";
import { placeOf } from "../../../src/translate/place.js";
import {
  ServedCertificates,
  addServerCertificate,
  fallbackCertificates,
  reportOtherHosts,
} from "../../../src/translate/server-certificates.js";

const exact = (host: string): HostPattern => ({ kind: "exact", host });

/** Objects are named by a letter; `created` is a year. */
function object(name: string, kind: "Ingress" | "Rule", created = 2001): KubernetesObject {
  const creationTimestamp = `${String(created)}-01-01T00:00:00Z`;
  const metadata = { namespace: "shop", name, creationTimestamp };
  return { apiVersion: "v1", kind, metadata };
}

/** A certificate that an object wants to be served for a host, on port 443 unless given; absent: the default one. */
function candidate(
  by: KubernetesObject,
  host: string,
  certificate: string | undefined,
  port = 443,
): CertificateCandidate {
  const at = host === "" ? ANY_HOST : exact(host);
  return {
    certificate: {
      ...{ server: `p${port}`, host: at },
      ...(certificate !== undefined && { certificate }),
    },
    wanted: { port, place: placeOf(by) },
  };
}

const part = (by: KubernetesObject, ...hosts: readonly (readonly [string, string])[]) => ({
  object: by,
  served: hosts.map(([host, certificate]) => candidate(by, host, certificate)),
});

/** `<server> <host> <certificate>` of what is served, and who is told of another one as `<object>: <message>`. */
function outcome(
  all: ServedCertificates,
  first: readonly CertificateCandidate[] = [],
  last: readonly CertificateCandidate[] = [],
) {
  const sink = new DiagnosticSink();
  const list = all.served(first, last, sink);
  return {
    served: list.map(({ server, host, certificate }) =>
      [server, hostKey(host), certificate ?? "default"].join(" "),
    ),
    told: sink.reports.map(({ resource, message }) => `${resource?.name ?? ""}: ${message}`),
  };
}

const ANOTHER = "a.example has another certificate already on port 443";

describe("of several certificates for a host", () => {
  const old = part(object("old", "Ingress", 2001), ["a.example", "1"]);
  const young = part(object("young", "Ingress", 2002), ["a.example", "2"]);
  const rule = part(object("rule", "Rule", 2003), ["a.example", "3"]);
  const served = (...parts: readonly (typeof old)[]) => {
    const all = new ServedCertificates();
    for (const each of parts) all.replace(each.object.metadata.name, each);
    return outcome(all);
  };

  it.each([
    ["the older Ingress's", [young, old], "1", ["young"]],
    ["the Rule's", [old, rule, young], "3", ["old", "young"]],
  ] as const)("%s is served, and the others are told", (_whose, parts, certificate, losers) => {
    const expected = {
      served: [`p443 a.example ${certificate}`],
      told: losers.map((name) => `${name}: ${ANOTHER}`),
    };
    expect(served(...parts)).toEqual(expected);
    expect(served(...parts.toReversed())).toEqual(expected);
  });

  it("of Rules the first by name is served, whatever their age", () => {
    const a = part(object("a", "Rule", 2009), ["a.example", "4"]);
    expect(served(rule, a).served).toEqual(["p443 a.example 4"]);
  });

  it("none is told where all want the same one", () => {
    const same = part(object("same", "Ingress", 2003), ["a.example", "1"]);
    expect(served(old, same)).toEqual({ served: ["p443 a.example 1"], told: [] });
  });
});

test("certificates are listed by server and host, each host and server for itself", () => {
  const all = new ServedCertificates();
  const web = object("web", "Ingress");
  const wants = [
    candidate(web, "b.example", "1", 8443),
    candidate(web, "b.example", "2"),
    candidate(web, "", "3"),
    candidate(web, "a.example", "4"),
  ];
  all.replace("web", { object: web, served: wants });
  expect(outcome(all)).toEqual({
    served: ["p443  3", "p443 a.example 4", "p443 b.example 2", "p8443 b.example 1"],
    told: [],
  });
});

describe("the certificates of ports", () => {
  const web = object("web", "Ingress");
  const gateway = object("gateway", "Ingress");
  const all = new ServedCertificates();
  all.replace("web", part(web, ["a.example", "1"], ["b.example", "2"]));

  it("that come first win, and those that come last lose", () => {
    const first = [candidate(gateway, "a.example", "9")];
    const last = [candidate(gateway, "b.example", "8"), candidate(gateway, "c.example", "7")];
    expect(outcome(all, first, last)).toEqual({
      served: ["p443 a.example 9", "p443 b.example 2", "p443 c.example 7"],
      told: [`web: ${ANOTHER}`, "gateway: b.example has another certificate already on port 443"],
    });
    // They count for this once.
    expect(outcome(all)).toEqual({ served: ["p443 a.example 1", "p443 b.example 2"], told: [] });
  });

  it("that come first decide who is told", () => {
    const two = new ServedCertificates();
    two.replace("old", part(object("old", "Ingress", 2001), ["a.example", "1"]));
    two.replace("young", part(object("young", "Ingress", 2002), ["a.example", "2"]));
    expect(outcome(two, [candidate(gateway, "a.example", "2")])).toEqual({
      served: ["p443 a.example 2"],
      told: [`old: ${ANOTHER}`],
    });
  });

  it("as the default one, leave the host to those that have one", () => {
    const none = candidate(gateway, "a.example", undefined);
    expect(outcome(all, [none]).served).toContain("p443 a.example 1");
    const alone = candidate(gateway, "z.example", undefined);
    expect(outcome(all, [alone]).served).toContain("p443 z.example default");
  });

  it("for hosts below wildcards lose to those for the host, and are replaced as a whole", () => {
    const below = new ServedCertificates();
    below.replace("web", part(web, ["a.example", "1"]));
    below.serveBelow(0, "p443", [
      { host: exact("a.example"), certificate: "5" },
      { host: exact("x.example"), certificate: "5" },
    ]);
    expect(outcome(below)).toEqual({ served: ["p443 a.example 1", "p443 x.example 5"], told: [] });
    below.serveBelow(0, "p443", [{ host: exact("y.example"), certificate: "5" }]);
    expect(outcome(below).served).toEqual(["p443 a.example 1", "p443 y.example 5"]);
  });
});

describe("a reference to a Secret", () => {
  const web = object("web", "Ingress");
  let pair: KeyPair;
  beforeAll(async () => {
    pair = await selfSigned("a.example", "*.wild.example");
  });

  /** With the Secret `shop/a`. */
  function world(options: Partial<typeof DEFAULT_OPTIONS> = {}) {
    const stringData = { "tls.crt": pair.certificate, "tls.key": pair.key };
    const metadata = { namespace: "shop", name: "a" };
    const secret = { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata };
    const { resources } = resourcesFromObjects([{ ...secret, stringData }]);
    const diagnostics = new DiagnosticSink();
    return collecting({ resources, options: { ...DEFAULT_OPTIONS, ...options }, diagnostics });
  }

  const port = { server: "p443", port: 443 };
  const place = placeOf(web, "spec");

  it.each(["shop/a", "shop_a"])("such as %s is a candidate for its host", (reference) => {
    const context = world();
    addServerCertificate(reference, exact("a.example"), { context, port, place });
    const [{ id } = { id: "" }] = context.certificates.collected();
    const certificate = { server: "p443", host: exact("a.example"), certificate: id };
    expect(context.config.candidates).toEqual([{ certificate, wanted: { port: 443, place } }]);
    expect(context.diagnostics.reports).toEqual([]);
  });

  it.each([
    ["a", "CERTIFICATE_UNUSABLE"],
    ["shop/b", "CERTIFICATE_UNUSABLE"],
  ])("such as %s that leads nowhere is reported as %s", (reference, code) => {
    const context = world();
    addServerCertificate(reference, exact("a.example"), { context, port, place });
    expect(context.config.candidates).toEqual([]);
    expect(context.diagnostics.reports).toMatchObject([{ code, ...place }]);
  });

  it("is served for a host that its certificate is not for, with a report", () => {
    const context = world();
    addServerCertificate("shop/a", exact("b.example"), { context, port, place });
    expect(context.config.candidates).toHaveLength(1);
    expect(context.diagnostics.reports).toEqual([
      {
        code: "CERTIFICATE_HOST_MISMATCH",
        message: "the certificate of Secret shop/a is not for b.example",
        ...place,
      },
    ]);
  });

  it("is reported with the first three of many hosts that it is not for", () => {
    const messages = (...hosts: readonly string[]): readonly string[] => {
      const context = world();
      const loaded = context.certificates.load({ namespace: "shop", name: "a" }, place);
      reportOtherHosts(loaded ? [loaded] : [], hosts.map(exact), { context, place });
      return context.diagnostics.reports.map(({ message }) => message);
    };
    const start = "the certificate of Secret shop/a is not for";
    expect(messages("a.example", "x.wild.example")).toEqual([]);
    expect(messages("b", "a.example", "c", "d")).toEqual([`${start} b, c, d`]);
    expect(messages("b", "c", "d", "e", "f")).toEqual([`${start} b, c, d and 2 more`]);
  });

  describe("in the option defaultCertificate", () => {
    const balancer = {
      ports: [
        { port: 80, tls: false, server: "p80" },
        { port: 443, tls: true, server: "p443" },
        { port: 444, tls: true, server: "p444" },
      ],
    } as unknown as LoadBalancer;
    const fallback = (defaultCertificate: string) => {
      const context = world({ defaultCertificate });
      const candidates = fallbackCertificates([balancer], context);
      const { reports } = context.diagnostics;
      return { candidates, messages: reports.map(({ message }) => message) };
    };

    it("is for the HTTPS ports, and no port is told that it has another one", () => {
      const { candidates, messages } = fallback("shop/a");
      expect(messages).toEqual([]);
      expect(candidates).toMatchObject([
        { certificate: { server: "p443", host: ANY_HOST } },
        { certificate: { server: "p444", host: ANY_HOST } },
      ]);
      expect(candidates.every(({ wanted }) => wanted === undefined)).toBe(true);
    });

    it.each([
      ["", []],
      ["shop/b", ["option defaultCertificate: there is no Secret shop/b"]],
      ["a", [expect.stringMatching(/^option defaultCertificate: "?a"? /)]],
    ])("%j is for none", (text, messages) => {
      expect(fallback(text)).toEqual({ candidates: [], messages });
    });
  });
});
