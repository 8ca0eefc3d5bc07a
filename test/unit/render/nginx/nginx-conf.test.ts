import { LOG_FIELDS } from "../../../../src/model/log-fields.js";
import { DEFAULT_OPTIONS, type DataPlaneOptions } from "../../../../src/model/options.js";
import type { Retry, Route } from "../../../../src/model/route.js";
import type { BackendProtocol } from "../../../../src/model/upstream.js";
import { policyMemory } from "../../../../src/render/nginx/http-view.js";
import { renderNginxConf } from "../../../../src/render/nginx/nginx-conf.js";
import {
  EMPTY_CONFIG,
  HTTP_SERVER,
  plainRoute,
  TLS_SERVER,
} from "../../../support/data-plane-config.js";

function conf(
  dataPlane: Partial<DataPlaneOptions> = {},
  { config = EMPTY_CONFIG, policySize = 0 } = {},
): string {
  const options = { ...DEFAULT_OPTIONS, dataPlane: { ...DEFAULT_OPTIONS.dataPlane, ...dataPlane } };
  return renderNginxConf(config, options, policyMemory(policySize), new Map());
}

/** The directives of this name, without their indentation and semicolon. */
function directives(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`(?<=^ *|; )${name}\\b[^;{]*`, "gm"))].map(([line]) => line);
}

const servers = { config: { ...EMPTY_CONFIG, servers: [HTTP_SERVER, TLS_SERVER] } };

describe("listening", () => {
  test("is on every address of both families", () => {
    expect(directives(conf({}, servers), "listen")).toEqual([
      "listen 0.0.0.0:80 backlog=4096",
      "listen [::]:80 ipv6only=on backlog=4096",
      "listen 0.0.0.0:443 ssl backlog=4096",
      "listen [::]:443 ipv6only=on ssl backlog=4096",
      "listen unix:control/control.sock",
    ]);
  });

  test("has room for connections beside any number of sockets", () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({
      ...HTTP_SERVER,
      id: `p${String(index)}`,
      port: index + 1,
    }));
    const text = conf({}, { config: { ...EMPTY_CONFIG, servers: many } });
    expect(directives(conf({}, servers), "worker_connections")).toEqual([
      "worker_connections 16384",
    ]);
    expect(directives(text, "worker_connections")).toEqual([
      `worker_connections ${String(16_384 + 5 * 1024)}`,
    ]);
  });

  test("is on IPv4 alone without the option ipv6", () => {
    expect(conf({ ipv6: false }, servers)).not.toContain("[::]");
  });

  test("is on the server's own addresses when it has some, IPv6 ones with or without the option", () => {
    const own = { ...HTTP_SERVER, addresses: ["192.0.2.1", "2001:db8::1"] };
    const text = conf({ ipv6: false }, { config: { ...EMPTY_CONFIG, servers: [own] } });
    expect(directives(text, "listen").slice(0, 2)).toEqual([
      "listen 192.0.2.1:80 backlog=4096",
      "listen [2001:db8::1]:80 ipv6only=on backlog=4096",
    ]);
  });

  test("expects the PROXY protocol everywhere but on the control socket", () => {
    const listens = directives(conf({ proxyProtocol: true }, servers), "listen");
    expect(listens.map((line) => line.includes("proxy_protocol"))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });
});

test("each server's Lua is called with its id, certificates only where there is TLS", () => {
  const text = conf({}, servers);
  expect(text.match(/albc\.\w+\("[^"]*"\)/g)).toEqual([
    'albc.access("p80")',
    'albc.certificate("p443")',
    'albc.access("p443")',
  ]);
});

describe("whose word counts", () => {
  test("nobody's, unless proxies are trusted", () => {
    const text = conf({}, servers);
    expect(text).not.toMatch(/set_real_ip_from/);
    expect(text).toMatch(/geo \S+ \$albc_trusted {\s+default 0;\s+}/);
  });

  test("nobody's: scheme and port are those of the server, so nothing has to be looked up for them", () => {
    const text = conf({}, servers);
    // Each server has a list for location / and one for all others.
    expect(new Set(directives(text, "proxy_set_header X-Forwarded-Proto"))).toEqual(
      new Set([
        "proxy_set_header X-Forwarded-Proto http",
        "proxy_set_header X-Forwarded-Proto https",
        "proxy_set_header X-Forwarded-Proto $albc_scheme",
      ]),
    );
    const behind = conf({ proxyProtocol: true }, servers);
    expect(new Set(directives(behind, "proxy_set_header X-Forwarded-Port"))).toEqual(
      new Set([
        "proxy_set_header X-Forwarded-Port $proxy_protocol_server_port",
        "proxy_set_header X-Forwarded-Port $albc_fwd_port",
      ]),
    );
  });

  test("the trusted proxies'", () => {
    const text = conf({ trustedProxies: ["10.0.0.0/8", "fd00::/8"] });
    expect(directives(text, "set_real_ip_from")).toEqual([
      "set_real_ip_from 10.0.0.0/8",
      "set_real_ip_from fd00::/8",
    ]);
    expect(directives(text, "real_ip_header")).toEqual(["real_ip_header X-Forwarded-For"]);
    expect(text).toMatch(/geo \$realip_remote_addr \$albc_trusted {[^}]*10\.0\.0\.0\/8 1;/);
  });

  test("with the PROXY protocol that of every peer about addresses, but nobody's about the rest", () => {
    const text = conf({ proxyProtocol: true });
    expect(directives(text, "set_real_ip_from")).toEqual([
      "set_real_ip_from 0.0.0.0/0",
      "set_real_ip_from ::/0",
    ]);
    expect(directives(text, "real_ip_header")).toEqual(["real_ip_header proxy_protocol"]);
    expect(text).toMatch(/geo \S+ \$albc_trusted {\s+default 0;\s+}/);
  });

  test("with the PROXY protocol and trusted proxies, that of the address which is told", () => {
    const text = conf({ proxyProtocol: true, trustedProxies: ["10.0.0.0/8"] });
    expect(directives(text, "set_real_ip_from")).toEqual(["set_real_ip_from 10.0.0.0/8"]);
    expect(text).toContain("geo $remote_addr $albc_trusted");
  });
});

describe("the trace context", () => {
  const address = "[::1]:10255";
  const headers = { mode: "headers", rate: 0.5, clients: "trust", address } as const;

  test("costs nothing by default", () => {
    expect(conf({}, servers)).not.toMatch(/trace/i);
  });

  test("is a header for backends of every protocol, which Lua sets as the options say", () => {
    const text = conf({ trace: headers }, servers);
    expect(text).toMatch(/init"\)\.run\([^)]*}, "0\.5 trust"\)/);
    expect(text).toContain("proxy_set_header traceparent $albc_traceparent");
    expect(text).toContain("grpc_set_header traceparent $albc_traceparent");
  });

  test.each(["logs/access.log", "off"])(
    "of sampled requests is reported, if the access log is %s",
    (accessLog) => {
      const text = conf({ accessLog, trace: { ...headers, mode: "spans" } }, servers);
      expect(text).toMatch(/init"\)\.run\([^)]*}, "0\.5 trust spans"\)/);
      expect(directives(text, "access_log")).toContain(
        "access_log syslog:server=[::1]:10255,nohostname,tag=albc albc_trace if=$albc_sampled",
      );
      // It would switch off the log of reports too.
      expect(text.slice(0, text.indexOf("server {"))).not.toContain("access_log off");
    },
  );

  test("may be logged although there is none", () => {
    const text = conf({ accessLogFields: ["trace_id"] });
    expect(text).toContain('"trace_id":"$albc_trace_id"');
    expect(text).toContain("map $albc_traceparent $albc_trace_id");
  });
});

describe("the access log", () => {
  test("is a file by default, written in large pieces", () => {
    expect(directives(conf(), "access_log").slice(0, 2)).toEqual([
      'access_log "logs/access.log" albc_json buffer=65536 flush=1s if=$albc_as_is',
      'access_log "logs/access.log" albc_json_shown buffer=65536 flush=1s if=$albc_shown',
    ]);
  });

  test("goes to standard output in pieces that a pipe takes whole", () => {
    expect(directives(conf({ accessLog: "stdout" }), "access_log")[0]).toBe(
      "access_log /dev/stdout albc_json buffer=4096 flush=1s if=$albc_as_is",
    );
  });

  test.each([
    ["combined", "user"],
    ["upstreaminfo", "route user"],
  ] as const)("has the format %s by name, for all requests", (accessLogFormat, flags) => {
    const text = conf({ accessLogFormat });
    expect(directives(text, "access_log")[0]).toBe(
      `access_log "logs/access.log" albc_${accessLogFormat} buffer=65536 flush=1s`,
    );
    expect(text).toContain(`run("${flags}", `);
  });

  test("makes Lua provide what the chosen fields need, and no more", () => {
    const text = conf({ accessLogFields: ["time", "auth_time"] });
    expect(text).toContain('run("texts auth_time", ');
    expect(conf({ accessLog: "off" })).toContain('run("", ');
  });

  test("can be switched off", () => {
    const text = conf({ accessLog: "off" });
    expect(directives(text, "access_log")).toEqual(["access_log off", "access_log off"]);
    expect(text).not.toContain("log_format");
  });

  test("knows no header that can hold a secret", () => {
    const fields = LOG_FIELDS.map(({ name }) => name);
    const text = conf({ accessLogFields: fields });
    const [maps = ""] = /map \$status[^]*access_log/.exec(text) ?? [];
    const headers = [...maps.matchAll(/\$(?:http|cookie|arg|sent)_\w+/g)].map(String);
    expect(new Set(headers)).toEqual(new Set(["$http_user_agent", "$http_referer"]));
  });
});

test("each body limit in use has locations, smallest first, for requests without a length", () => {
  const routes = [9, 1_000_000, 9].map((bodyLimit, i) => plainRoute(String(i), { bodyLimit }));
  const config = {
    ...EMPTY_CONFIG,
    servers: [HTTP_SERVER],
    routes: [...routes, plainRoute("none")],
  };
  const names = (text: string) =>
    [...text.matchAll(/location @(\w+_limit_\d+) {/g)].map(([, name]) => name);
  const namesOf = (...limits: readonly number[]) =>
    limits.flatMap((limit) => ["http", "stream", "h2c"].map((name) => `${name}_limit_${limit}`));
  expect(names(conf({}, { config }))).toEqual(namesOf(9, 1_000_000));
  expect(names(conf({ bodyLimit: 500 }, { config }))).toEqual([
    "try_limit_500",
    ...namesOf(9, 500, 1_000_000),
  ]);
});

test.each([
  [0, 64],
  [16 * 2 ** 20, 64],
  [16 * 2 ** 20 + 1, 128],
  [100 * 2 ** 20, 512],
])("a policy of %d bytes gets %d MiB of shared memory", (policySize, mebibytes) => {
  expect(conf({}, { policySize })).toContain(
    `lua_shared_dict albc_policy ${String(mebibytes * 2 ** 20)};`,
  );
});

test.each([
  [{ workers: 0 }, "worker_processes auto;"],
  [{ workers: 3 }, "worker_processes 3;"],
  [{ drainTimeout: 30 }, "worker_shutdown_timeout 30s;"],
])("%p gives %s", (options, line) => {
  expect(conf(options)).toContain(line);
});

test("no line ends with a blank, and no two empty ones follow each other", () => {
  for (const options of [{}, { trustedProxies: ["10.0.0.0/8"] }, { accessLog: "off" }]) {
    expect(conf(options, servers)).not.toMatch(/[ \t]$|\n\n\n/m);
  }
});

describe("statuses that are tried again", () => {
  const withRoutes = (...routes: readonly Route[]) =>
    conf({}, { config: { ...EMPTY_CONFIG, servers: [HTTP_SERVER], routes } });
  const locations = (text: string) =>
    [...text.matchAll(/location @(\w*try\w*) \{\n +(\w+_next_upstream [^;]*)/g)].map(
      ([, name, directive]) => [name, directive],
    );
  const retry = (codes: NonNullable<Retry["codes"]>, protocol: BackendProtocol, attempts = 1) =>
    plainRoute(`${protocol}${codes.join()}`, {
      retry: { codes, attempts },
      backends: [{ upstream: "default/web/80", weight: 1, protocol }],
    });

  test("have a location for each set that a route uses, and one for deadlines alone", () => {
    expect(locations(withRoutes()).map(([name]) => name)).toEqual(["try"]);
    const found = locations(
      withRoutes(
        retry([500, 503], "http"),
        retry([500, 503], "https"),
        retry([500, 503], "h2c"),
        retry([502], "grpcs"),
        retry([502], "grpc"),
        retry([504], "grpc", 0),
        plainRoute("plain", { backends: [{ upstream: "a", weight: 1, protocol: "grpc" }] }),
      ),
    );

    expect(found).toEqual([
      ["grpc_try", "grpc_next_upstream error timeout non_idempotent"],
      ["grpc_try_502", "grpc_next_upstream error timeout non_idempotent http_502"],
      ["h2c_try_500_503", "grpc_next_upstream error timeout non_idempotent http_500 http_503"],
      ["try", "proxy_next_upstream error timeout non_idempotent"],
      ["try_500_503", "proxy_next_upstream error timeout non_idempotent http_500 http_503"],
    ]);
  });
});
