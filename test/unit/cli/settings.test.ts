import { compileOptions, resolveSettings } from "../../../src/cli/settings.js";
import { UsageError } from "../../../src/cli/terminal.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";

const none = { flags: {}, variables: {} };

test("the defaults of the table are the compiler's defaults", () => {
  expect(compileOptions(resolveSettings(none))).toEqual(DEFAULT_OPTIONS);
});

test("a flag wins over a variable, a variable over the file, the file over the default", () => {
  const file = { name: "albc.yaml", contents: { httpPort: 1, httpsPort: 2, workers: 3 } };
  const variables = { ALBC_HTTP_PORT: "10", ALBC_HTTPS_PORT: "20" };
  const settings = resolveSettings({ flags: { httpPort: "100" }, variables, file });
  expect(settings.number("httpPort")).toBe(100);
  expect(settings.number("httpsPort")).toBe(20);
  expect(settings.number("workers")).toBe(3);
  expect(settings.text("ingressClass")).toBe("nginx");
});

test("durations become milliseconds, sizes bytes, lists texts", () => {
  const settings = resolveSettings({
    ...none,
    flags: {
      ...{ authTimeout: "1500ms", bodyLimit: "2m", traceRate: "0.1" },
      trustedProxies: "10.0.0.0/8, ::1",
    },
  });
  expect(settings.number("authTimeout")).toBe(1500);
  expect(settings.number("bodyLimit")).toBe(2 * 1024 * 1024);
  expect(settings.number("traceRate")).toBe(0.1);
  expect(settings.list("trustedProxies")).toEqual(["10.0.0.0/8", "::1"]);
});

test.each([
  [
    { flags: { httpPort: "x" }, variables: {} },
    '--http-port must be a whole number from 0 to 65535, but is "x"',
  ],
  [
    { flags: {}, variables: { ALBC_IPV6: "maybe" } },
    'ALBC_IPV6 must be true or false, but is "maybe"',
  ],
  [
    { flags: { accessLogFields: "time,cookie" }, variables: {} },
    "--access-log-fields must be a list of some of time, client, method,",
  ],
  [{ flags: { accessLogFields: "time,time" }, variables: {} }, 'each once, but is "time,time"'],
  [
    { flags: {}, variables: { ALBC_ACCESS_LOG_FORMAT: "main" } },
    'ALBC_ACCESS_LOG_FORMAT must be one of json, combined, upstreaminfo, but is "main"',
  ],
  [
    { flags: {}, variables: { ALBC_NGINX_LOG_LEVEL: "debug" } },
    'ALBC_NGINX_LOG_LEVEL must be one of info, notice, warn, error, crit, but is "debug"',
  ],
  [
    { flags: { traceRate: "100.1" }, variables: {} },
    '--trace-rate must be a percentage such as 5 or 0.1, but is "100.1"',
  ],
  [
    { flags: {}, variables: { ALBC_TRACE_CLIENTS: "true" } },
    'ALBC_TRACE_CLIENTS must be one of continue, trust, ignore, but is "true"',
  ],
  [{ flags: {}, variables: { ALBC_HTPP_PORT: "1" } }, "the variable ALBC_HTPP_PORT is unknown"],
  [{ flags: { httpPort: "443" }, variables: {} }, "httpPort and httpsPort are both 443"],
  [{ flags: { statusPage: true }, variables: {} }, "statusPage needs a healthAddress"],
  [{ flags: { policySize: "145m" }, variables: {} }, "policySize can be at most 144m"],
  [{ flags: { tracing: "spans", traceAddress: "" }, variables: {} }, "needs a traceAddress"],
  [
    { flags: { publishService: "edge" }, variables: {} },
    "--publish-service must be NAMESPACE/NAME",
  ],
  [
    { flags: { publishService: "a/b", publishAddress: "192.0.2.1" }, variables: {} },
    "publishService and publishAddress are both given",
  ],
  [
    { flags: { publishAddress: "192.0.2.256" }, variables: {} },
    "--publish-address must be a list of IP addresses and DNS names",
  ],
  [
    { flags: { trustedProxies: "10.0.0.0/8,10.0.0.0/99" }, variables: {} },
    '--trusted-proxies must be a list of IP addresses and CIDRs, but is "10.0.0.0/8,10.0.0.0/99"',
  ],
  [
    { flags: { albAnnotationDomain: "alb.example/" }, variables: {} },
    '--alb-annotation-domain must be a DNS name in lower case such as example.com, but is "alb.example/"',
  ],
  [
    { flags: { shutdownDelay: "999h" }, variables: {} },
    '--shutdown-delay must be a time such as 500ms, 5s or 4m, at most 576h, but is "999h"',
  ],
  [
    { flags: { bodyLimit: "999999999999999g" }, variables: {} },
    '--body-limit must be a size such as 512k, 8m or 1g, but is "999999999999999g"',
  ],
  [
    { flags: { healthAddress: "10254" }, variables: {} },
    "--health-address must be ADDRESS:PORT such as 0.0.0.0:10254",
  ],
  [{ flags: { healthAddress: "[::]:99999" }, variables: {} }, "--health-address must be"],
  [
    { ...none, file: { name: "a.yaml", contents: { htppPort: 1 } } },
    'a.yaml has the unknown key "htppPort"',
  ],
  [
    { ...none, file: { name: "a.yaml", contents: { namespaceLocations: 32 } } },
    'a.yaml has the key "namespaceLocations", which nginxLocations has replaced',
  ],
  [
    { flags: {}, variables: { ALBC_NAMESPACE_LOCATIONS: "32" } },
    "the variable ALBC_NAMESPACE_LOCATIONS has been replaced by ALBC_NGINX_LOCATIONS",
  ],
  [{ ...none, file: { name: "a.yaml", contents: ["x"] } }, "a.yaml must hold keys and values"],
  [
    { ...none, file: { name: "a.yaml", contents: { logLevel: "loud" } } },
    "a.yaml: logLevel must be one of debug",
  ],
])("a wrong source is a usage error that names it: %j", (sources, message) => {
  expect(() => resolveSettings(sources)).toThrow(UsageError);
  expect(() => resolveSettings(sources)).toThrow(message);
});

test("addresses are those that the places for them take", () => {
  const flags = { publishAddress: "192.0.2.1,2001:db8::1,lb.example", healthAddress: "[::]:10254" };
  const settings = resolveSettings({ ...none, flags });
  expect(settings.list("publishAddress")).toEqual(["192.0.2.1", "2001:db8::1", "lb.example"]);
  expect(settings.text("healthAddress")).toBe("[::]:10254");
});

test("both ports may be 0", () => {
  const settings = resolveSettings({ ...none, flags: { httpPort: "0", httpsPort: "0" } });
  expect([settings.number("httpPort"), settings.number("httpsPort")]).toEqual([0, 0]);
});

test.each(["dns.example", "10.0.0.1:", "10.0.0.1:x", "::1:53:x", "1.2.3.4; evil", "fe80::1%eth0"])(
  "%s is no name server",
  (resolver) => {
    expect(() => resolveSettings({ ...none, flags: { resolver } })).toThrow(
      `--resolver must be a list of IP addresses, each perhaps with a port as in 192.0.2.1:53 or [2001:db8::1]:53, but is "${resolver}"`,
    );
  },
);

test.each([
  ...["../../etc/cron.d/x", "/etc/passwd", "policy.json", "logs/../nginx.conf", "logs/", "logs//a"],
  ...["syslog:server=x", "logs/.", "logs/a;b", "log/a", "environment/http.conf", "stderr", ""],
])("an access log %s would leave its folder", (accessLog) => {
  expect(() => resolveSettings({ ...none, flags: { accessLog } })).toThrow(
    `--access-log must be off, stdout or a file such as logs/access.log, but is ${JSON.stringify(accessLog)}`,
  );
});
