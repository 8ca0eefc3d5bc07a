import { formatExplanation } from "../../../src/explain/format.js";
import type { PolicyDocument } from "../../../src/model/policy.js";
import { POLICY, ask, askAs, policy, routeOf } from "../../support/explained.js";

describe("servers and listeners", () => {
  const document = policy({
    "http|": [{ order: "1", route: "clear" }],
    "exact|a.example": [{ order: "1", route: "exact" }],
    "one|*.example": [{ order: "1", route: "one" }],
    "many|**.example": [{ order: "1", route: "many" }],
  });

  it.each([
    ["http://anything/", "clear"],
    ["https://a.example/", "exact"],
    ["https://A.EXAMPLE./", "exact"],
    ["https://b.example/", "one"],
    ["https://c.b.example/", "many"],
  ])("%s is %s", (url, route) => expect(routeOf(document, url)).toBe(route));

  it("of another port or scheme there are none", () => {
    const servers = [
      { scheme: "http", port: 80 },
      { scheme: "https", port: 443 },
    ];
    const none = { kind: "unreachable", servers };
    expect(ask(document, "http://a.example:443/").answer).toEqual(none);
    expect(ask(document, "http://a.example:81/").answer).toEqual(none);
  });

  it.each([
    ["https://a.example/", true],
    ["https://b.a.other/", false],
    ["https://b.wild.example/", true],
    ["https://own.wild.example/", false],
    ["https://b.own.example/", false],
    ["https://192.0.2.1/", false],
    ["http://b.a.other/", true],
  ])("%s has a certificate: %j", (url, expected) => {
    const certificates = {
      ...{ "p443|a.example": "a.pem", "p443|*.wild.example": "b.pem", "p1|": "c" },
      // Of another namespace than the wildcard above them.
      ...{ "p443|own.wild.example": "", "p443|*.own.example": "", "p443|**.example": "d.pem" },
    };
    expect(ask({ ...document, certificates }, url).certificate !== null).toBe(expected);
  });

  it("a wildcard's certificate is the default one where its file is empty", () => {
    const certificates = { "p443|*.wild.example": "", "p443|**.example": "b.pem" };
    expect(ask({ ...document, certificates }, "https://a.wild.example/").certificate).toBeNull();
  });

  it("the certificate is that of the URL's host, whatever the Host header says", () => {
    const certificates = { "p443|a.example": "a.pem" };
    const explanation = ask({ ...document, certificates }, "https://b/", "Host: a.example");
    expect(explanation.certificate).toBeNull();
    expect(formatExplanation(explanation)).toContain(
      "certificate none is for this name: a self-signed one answers, which clients refuse",
    );
  });

  it("a host without listener, or none at all, is refused", () => {
    const none = { kind: "refused", status: 404, reason: "InvalidUpstream : no rule match" };
    expect(ask(document, "https://example/").answer).toEqual(none);
    const malformed = { kind: "refused", status: 400, reason: "BadRequest : malformed request" };
    expect(ask(document, "/x", "Host: ").answer).toEqual(malformed);
    expect(ask(document, "http://a/../x").answer).toEqual(malformed);
  });

  it("the named one of several with one port is taken", () => {
    const two: PolicyDocument = {
      ...document,
      servers: { ...POLICY.servers, q80: { port: 80, tls: false, listeners: [["", "one"]] } },
    };
    const written = { method: "GET", url: "http://b.example/", headers: [], client: "::1" };
    expect(askAs(two, { ...written, server: "q80" }).listener).toBe("one");
    expect(askAs(two, written).listener).toBe("http");
  });
});
