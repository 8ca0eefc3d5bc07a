import type { Frontend, RedirectSpec, RoutingConfig } from "../../../../src/api/alb.js";
import { DiagnosticSink } from "../../../../src/diagnostics/sink.js";
import { formatFieldPath } from "../../../../src/diagnostics/diagnostic.js";
import { resourcesFromYaml } from "../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { DEFAULT_TIMEOUTS } from "../../../../src/model/route.js";
import { createAuthTranslator } from "../../../../src/translate/auth/auth-translator.js";
import { Backends } from "../../../../src/translate/backends.js";
import { Certificates } from "../../../../src/translate/certificates.js";
import { ConfigBuilder } from "../../../../src/translate/config-builder.js";
import { type Inherited, NOTHING_INHERITED } from "../../../../src/translate/load-balancer.js";
import {
  overridden,
  parseBackendProtocol,
  parseRedirect,
} from "../../../../src/translate/alb/shared-settings.js";

describe("a redirect", () => {
  it.each<[RedirectSpec, object | undefined]>([
    [{}, undefined],
    [{ url: "", scheme: "", host: "", port: 0 }, undefined],
    [
      { url: "/new", code: 301 },
      { status: 301, url: ["/new"] },
    ],
    [{ url: "https://b.example/" }, { status: 302, url: ["https://b.example/"] }],
    [{ scheme: "https" }, { status: 302, scheme: "https", unlessScheme: "https" }],
    [{ host: "B.example" }, { status: 302, host: "b.example" }],
    [
      { scheme: "https", port: 8443 },
      { status: 302, scheme: "https", port: 8443 },
    ],
    [
      { host: "b.example", url: "/a" },
      { status: 302, host: "b.example", path: ["full", "/a"] },
    ],
    [
      { prefix_match: "/a/", replace_prefix: "/b" },
      { status: 302, path: ["prefix", "/a", "/b"] },
    ],
    [{ prefix_match: "/a" }, { status: 302, path: ["prefix", "/a", ""] }],
  ])("%j is %j", (spec, redirect) => {
    expect(parseRedirect(spec)).toEqual({ ok: true, value: redirect });
  });

  it.each<[RedirectSpec, string]>([
    [{ url: "/x", code: 200 }, "200 is not a redirect status"],
    [{ scheme: "ftp" }, 'the scheme "ftp" is neither http nor https'],
    [{ host: "a b" }, 'the host "a b" is not a DNS name'],
    [{ port: 65_536 }, "65536 is not a port"],
    [{ url: "x.example/a" }, 'the URL "x.example/a" is neither a path nor an http or https URL'],
  ])("%j is refused", (spec, problem) => {
    expect(parseRedirect(spec)).toEqual({ ok: false, problem });
  });
});

test("a backend protocol is read without case and blanks", () => {
  expect(parseBackendProtocol(" GRPCS ")).toEqual({ ok: true, value: "grpcs" });
  expect(parseBackendProtocol("fcgi").ok).toBe(false);
});

const FRONTEND: Frontend = {
  apiVersion: "crd.alauda.io/v1",
  kind: "Frontend",
  metadata: { namespace: "cpaas-system", name: "ft" },
  spec: { port: 80 },
};

/** What the Frontend has with this config, and `<code> <field>` of each report. */
function inheritedWith(
  config: RoutingConfig | undefined,
  from: Partial<Inherited> = {},
  options = DEFAULT_OPTIONS,
): { readonly inherited: Inherited; readonly reports: readonly string[] } {
  const diagnostics = new DiagnosticSink();
  const context = { resources: resourcesFromYaml("").resources, options, diagnostics };
  const inherited = overridden({ ...NOTHING_INHERITED, ...from }, FRONTEND, config, {
    ...context,
    config: new ConfigBuilder(),
    backends: new Backends(context),
    certificates: new Certificates(context),
    auth: createAuthTranslator(context),
  });
  const reports = diagnostics
    .sorted()
    .map(({ code, field }) => `${code} ${formatFieldPath(field ?? [])}`);
  return { inherited, reports };
}

describe("what an object inherits", () => {
  const AUTH = ["alb2/cpaas-system/alb"];

  it("stays if the object says nothing", () => {
    const from = { auth: AUTH, timeouts: { connect: 1, send: 2, read: 3 } };
    expect(inheritedWith(undefined, from).inherited).toMatchObject(from);
  });

  it("is no auth if the object has an empty one", () => {
    expect(inheritedWith({ auth: {} }, { auth: AUTH }).inherited.auth).toEqual([]);
  });

  it("is auth of its own if the object has one", () => {
    const auth = { forward: { url: "http://auth.example/" } };
    expect(inheritedWith({ auth }, { auth: AUTH }).inherited.auth).toEqual([
      "frontend/cpaas-system/ft",
    ]);
  });

  it("are no timeouts of others: absent fields have the defaults", () => {
    const timeout = { proxy_read_timeout_ms: 7000 };
    const { inherited } = inheritedWith(
      { timeout },
      { timeouts: { connect: 1, send: 2, read: 3 } },
    );
    expect(inherited.timeouts).toEqual({ ...DEFAULT_TIMEOUTS, read: 7000 });
  });

  it.each([0, 1.5, 2 ** 31])("a timeout of %s is reported and has the default", (value) => {
    const { inherited, reports } = inheritedWith({ timeout: { proxy_send_timeout_ms: value } });
    expect(inherited.timeouts).toEqual(DEFAULT_TIMEOUTS);
    expect(reports).toEqual(["SETTING_IGNORED spec.config.timeout.proxy_send_timeout_ms"]);
  });
});

describe("a web application firewall", () => {
  const REFUSED = [503, "AuthFail : invalid cfg modsecurity"] as const;

  it.each([{ enable: true }, { enable: "maybe" }, { enable: 0 }])(
    "%j closes the routes",
    (modsecurity) => {
      const { inherited, reports } = inheritedWith({ modsecurity });
      expect(inherited.closed).toEqual(REFUSED);
      expect(reports).toEqual(["RESTRICTION_UNSUPPORTED spec.config.modsecurity"]);
    },
  );

  it.each([{}, { enable: false }, { enable: "false" }])(
    "%j opens them, even if an inherited one closes them",
    (modsecurity) => {
      const { inherited, reports } = inheritedWith({ modsecurity }, { closed: REFUSED });
      expect(inherited.closed).toBeUndefined();
      expect(reports).toEqual(["SETTING_UNSUPPORTED spec.config.modsecurity"]);
    },
  );

  it("is inherited, and only reported if the option says so", () => {
    expect(inheritedWith(undefined, { closed: REFUSED }).inherited.closed).toEqual(REFUSED);
    const options = { ...DEFAULT_OPTIONS, unsupportedRestrictions: "report" as const };
    const { inherited } = inheritedWith({ modsecurity: { enable: true } }, {}, options);
    expect(inherited.closed).toBeUndefined();
  });
});
