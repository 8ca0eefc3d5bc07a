/** What only listeners, backends and filters of Gateways have. */
import { explain } from "../../../src/explain/explain.js";
import { formatExplanation } from "../../../src/explain/format.js";
import { parseRequest } from "../../../src/explain/request.js";
import type { PolicyDocument } from "../../../src/model/policy.js";

const SOURCE = ["HTTPRoute", "default", "web", "spec.rules[0]"] as const;

const POLICY: PolicyDocument = {
  format: 5,
  version: "v",
  settings: { authTimeout: 5000, authTlsVerify: true },
  servers: {
    p443: {
      port: 443,
      tls: true,
      listeners: [
        ["strict.example", "strict"],
        ["", "any"],
      ],
      isolated: ["strict", "any"],
      clientCertificates: { strict: ["required", "authorities/0.pem"] },
    },
  },
  hosts: {
    "strict|": [{ order: "1", route: "web" }],
    "any|open.example": [{ order: "1", route: "web" }],
    "any|moved.example": [{ order: "1", route: "moved" }],
  },
  routes: {
    moved: { source: SOURCE, auth: ["check"], redirect: { status: 302 }, authFirst: true },
    web: {
      source: SOURCE,
      auth: ["check"],
      backends: [
        { upstream: "default/web/443", weight: 1, protocol: "https", tls: "by-hostname" },
        { upstream: "default/web/443", weight: 1, protocol: "https", tls: "by-names" },
      ],
    },
  },
  auths: {
    check: {
      source: SOURCE,
      external: { scheme: "http", host: ["auth.example"], target: ["/check"], maxBody: 0 },
    },
  },
  upstreams: { "default/web/443": { endpoints: [["10.0.0.1", 8443]] } },
  backendTls: {
    "by-hostname": { hostname: "web.internal" },
    "by-names": {
      hostname: "web.internal",
      names: [
        ["hostname", "a.internal"],
        ["uri", "spiffe://mesh/web"],
      ],
    },
  },
  certificates: { "p443|": "certificates/default.pem" },
};

function ask(url: string, host?: string) {
  const headers = host === undefined ? [] : [`Host: ${host}`];
  const parsed = parseRequest({ method: "GET", url, headers, client: "192.0.2.1" });
  if (!parsed.ok) throw new Error("no request");
  return explain(POLICY, parsed.value);
}

test.each([
  ["strict.example", "open.example", 421],
  ["open.example", "strict.example", 421],
  ["open.example", "other.example", 404],
])("a connection for %s with the host %s is answered %d", (name, host, status) => {
  expect(ask(`https://${name}/`, host).answer).toMatchObject({ kind: "refused", status });
});

test("a redirect after auth is told to those who pass", () => {
  const explanation = ask("https://open.example/", "moved.example");

  expect(explanation.route?.authChecked).toBe(true);
  expect(formatExplanation(explanation)).toMatch(/answer +302 .* when the auth passes\n/);
});

test("says what is wanted of clients, who is asked, and what backends must show", () => {
  const text = formatExplanation(ask("https://strict.example/"));

  expect(text).toContain("\n              client certificates are required\n");
  expect(text).toContain(
    "external, the request's own method and path behind http://auth.example/check, only 200 passes",
  );
  expect(text).toContain("by https, 1 endpoint, verified TLS as web.internal\n");
  expect(text).toContain("by https, 1 endpoint, verified TLS as a.internal or spiffe://mesh/web\n");
});

test("wants nothing of clients elsewhere", () => {
  expect(ask("https://open.example/").clientCertificate).toBeUndefined();
});
