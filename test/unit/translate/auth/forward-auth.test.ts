import {
  ALB,
  compat,
  configMap,
  grant,
  harness,
  object,
} from "../../../support/auth-translator.js";

const KEY = "nginx.ingress.kubernetes.io";
const FORWARD = { "auth-url": "http://auth.example/verify" };
const TRANSLATED = {
  scheme: "http",
  host: ["auth.example"],
  target: ["/verify"],
  method: "GET",
  // From files, without a cluster.
  restricted: { allowed: ["127.0.0.0/8", "::1"] },
};

function forwardOf(annotations: Readonly<Record<string, string>>, yaml = "") {
  const { policyOf } = harness(yaml);
  const policy = policyOf(compat({ ...FORWARD, ...annotations }));
  if (policy.forward === undefined) throw new Error(policy.invalid);
  return policy.forward;
}

function closedBy(annotations: Readonly<Record<string, string>>, yaml = "") {
  return harness(yaml).policyOf(compat({ ...FORWARD, ...annotations })).invalid;
}

/** Rows `name: value → problem`; a value with blanks or escapes is JSON. */
function lines(text: string): readonly (readonly [string, string, string])[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [, name = "", value = "", problem = ""] = /^ *([\w-]+): (.*) → (.*)$/.exec(line) ?? [];
      return [name, value.startsWith('"') ? (JSON.parse(value) as string) : value, problem];
    });
}

describe("forward auth of an Ingress", () => {
  it("needs a URL only", () => {
    const { policyOf, reports, translator } = harness();
    expect(policyOf(compat(FORWARD))).toMatchObject({
      source: `metadata.annotations["${KEY}/auth-url"]`,
      forward: TRANSLATED,
    });
    expect(reports()).toEqual([]);
    expect(translator.collected().services).toEqual([]);
  });

  it("takes empty annotations as absent", () => {
    const names = [
      "auth-method",
      "auth-signin",
      "auth-signin-redirect-param",
      "auth-response-headers",
      "auth-proxy-set-headers",
      "auth-request-redirect",
      "auth-always-set-cookie",
    ];
    expect(forwardOf(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(TRANSLATED);
  });

  it.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"])(
    "asks with %s",
    (method) => expect(forwardOf({ "auth-method": method }).method).toBe(method),
  );

  it("trims and lowers response headers, each once", () => {
    const value = " X-User , X-Email,,x-user,\tRemote_User,Set-Cookie, Authorization ,";
    expect(forwardOf({ "auth-response-headers": value }).responseHeaders).toEqual([
      "x-user",
      "x-email",
      "remote_user",
      "set-cookie",
      "authorization",
    ]);
  });

  it("expands the request redirect as it is", () => {
    expect(
      forwardOf({ "auth-request-redirect": "https://$http_host$request_uri" }).requestRedirect,
    ).toEqual(["https://", ["http_host", "raw"], ["request_uri", "raw"]]);
  });

  it.each([
    ["1 t T TRUE true True", true],
    ["0 f F FALSE false False", undefined],
  ])("reads the booleans %s", (texts, value) => {
    for (const text of texts.split(" "))
      expect(forwardOf({ "auth-always-set-cookie": text }).alwaysSetCookie).toBe(value);
  });

  it("has a sign-in URL with its parameter", () => {
    const { signin } = forwardOf({
      "auth-signin": "https://login.example/",
      "auth-signin-redirect-param": "next",
    });
    expect(signin?.[0]).toEqual("https://login.example/?next=");
  });
});

describe("headers for the auth service", () => {
  it("come from the config map, sorted, with variables", () => {
    const data = {
      "X-Time": "t=${msec}",
      "X-Host": "$http_host",
      "X-Plain": "a, b; c",
      "X-None": "",
    };
    const { headers } = forwardOf(
      { "auth-proxy-set-headers": "default/headers" },
      configMap("default/headers", data),
    );
    expect(headers).toEqual([
      ["X-Host", [["http_host", "raw"]]],
      ["X-None", []],
      ["X-Plain", ["a, b; c"]],
      ["X-Time", ["t=", ["msec", "raw"]]],
    ]);
  });

  it("may name the host that is asked for", () => {
    const yaml = configMap("default/h", { Host: "auth.example" });
    expect(forwardOf({ "auth-proxy-set-headers": "default/h" }, yaml).headers).toEqual([
      ["Host", ["auth.example"]],
    ]);
  });

  it("count once for each name without case", () => {
    const { policyOf, reports } = harness(configMap("default/h", { "x-a": "2", "X-A": "1" }));
    const policy = policyOf(compat({ ...FORWARD, "auth-proxy-set-headers": "default/h" }));
    expect(policy.forward?.headers).toEqual([["X-A", ["1"]]]);
    expect(reports()).toEqual([
      ["AUTH_HEADER_DUPLICATE", "ConfigMap default/h", "data.x-a", "header x-a is named twice"],
    ]);
  });

  it.each(
    lines(`
      X-A: $nope → has a value for X-A that has the unknown variable $nope
      X-A: "a\\nb" → has a value for X-A that must not hold line breaks or control characters
      X-A: "a\\n" → has a value for X-A that must not hold line breaks or control characters
      X-A: "a\\u0000" → has a value for X-A that must not hold line breaks or control characters
      Content-length: 5 → must not name the header Content-length, which belongs to the connection
      Proxy-Authorization: x → must not name the header Proxy-Authorization, which belongs to the connection
    `),
  )("close the path with %s: %j", (name, value, problem) => {
    const yaml = configMap("default/h", { [name]: value });
    expect(closedBy({ "auth-proxy-set-headers": "default/h" }, yaml)).toBe(
      `config map default/h ${problem}`,
    );
  });

  it("close the path with binary data", () => {
    const map = object("ConfigMap", "default/h", { binaryData: { "X-A": "AAE=" } });
    expect(closedBy({ "auth-proxy-set-headers": "default/h" }, map)).toBe(
      "config map default/h has binary data, which can't be sent as headers",
    );
  });

  it.each([
    ["a missing config map", "default/none", "config map default/none not found"],
    ["a bare name", "h", "auth-proxy-set-headers must be <namespace>/<name>"],
    ["another namespace", "other/h", "config map other/h is in another namespace"],
  ])("close the path with %s", (_, reference, invalid) => {
    const yaml = configMap("default/h", {}) + configMap("other/h", {});
    expect(closedBy({ "auth-proxy-set-headers": reference }, yaml)).toBe(invalid);
  });

  it("may come from another namespace by a ReferenceGrant", () => {
    const from = [{ group: "networking.k8s.io", kind: "Ingress", namespace: "default" }];
    const to = [{ group: "", kind: "ConfigMap", name: "h" }];
    const yaml = configMap("other/h", { "X-A": "1" }) + grant("other", { from, to });
    expect(forwardOf({ "auth-proxy-set-headers": "other/h" }, yaml).headers).toHaveLength(1);
  });
});

describe("broken forward auth closes the path", () => {
  it.each(
    lines(`
      auth-url: auth.example → auth-url must start with http:// or https://
      auth-url: "  " → auth-url must start with http:// or https://
      auth-url: http://a/$requst_uri → auth-url has the unknown variable $requst_uri, did you mean $request_uri?
      auth-method: post → auth-method must be one of GET, HEAD, POST, PUT, PATCH, DELETE, CONNECT, OPTIONS, TRACE
      auth-method: GET; → auth-method must be one of GET, HEAD, POST, PUT, PATCH, DELETE, CONNECT, OPTIONS, TRACE
      auth-response-headers: X-A X-B → auth-response-headers has the header name "X-A X-B"; names are letters, digits, - and _
      auth-response-headers: X-A, X-Auth-Request-* → auth-response-headers has the header name "X-Auth-Request-*"; names are letters, digits, - and _
      auth-response-headers: X-A, * → auth-response-headers has the header name "*"; names are letters, digits, - and _
      auth-response-headers: X-A, ^X-A → auth-response-headers has the header name "^X-A"; names are letters, digits, - and _
      auth-response-headers: X-A, Transfer-Encoding → auth-response-headers must not name the header Transfer-Encoding, which belongs to the connection
      auth-response-headers: X-A, Transfer_Encoding → auth-response-headers must not name the header Transfer_Encoding, which belongs to the connection
      auth-signin: login.example → auth-signin must start with http:// or https://, or be a path that starts with /
      auth-signin: https://a/$nope → auth-signin has the unknown variable $nope
      auth-signin-redirect-param: a=b&c → auth-signin-redirect-param must be the name of a query parameter: 1 to 128 letters, digits, ., _, ~ and -
      auth-request-redirect: $nope → auth-request-redirect has the unknown variable $nope
      auth-request-redirect: "/a\\n/b" → auth-request-redirect must not hold line breaks or control characters
      auth-always-set-cookie: yes → auth-always-set-cookie must be true or false
    `),
  )("%s: %j", (name, value, invalid) => {
    const { policyOf, reports } = harness();
    const policy = policyOf(compat({ ...FORWARD, "auth-signin": "https://a/", [name]: value }));
    expect(policy).toMatchObject({ invalid });
    expect(policy.forward).toBeUndefined();
    const field = `metadata.annotations["${KEY}/${name}"]`;
    expect(reports()).toEqual([["AUTH_CONFIG_INVALID", "Ingress default/web", field, invalid]]);
  });

  it.each([
    [{ "auth-url": "https:///verify" }, /^give a whole URL, such as http:\/\/auth\./],
    [{ "auth-signin": "//start" }, /^give a whole URL, such as https:\/\/login\./],
    [{ "auth-url": "http://a/$nope" }, /^correct the value/],
    [{ "auth-signin": "/start?$nope" }, /^correct the value/],
  ])("%j says how the URL is to be written, if it is none", (annotations, hint) => {
    const { policyOf, diagnostics } = harness();
    policyOf(compat({ ...FORWARD, ...annotations }));
    expect(diagnostics().map((each) => each.hint)).toEqual([expect.stringMatching(hint)]);
  });

  it("does not show a password of the URL", () => {
    const { policyOf, diagnostics } = harness();
    const policy = policyOf(compat({ "auth-url": "http://user:hunter2@auth/" }));
    expect(policy.invalid).toContain("must not hold a user name or password");
    expect(JSON.stringify([policy, diagnostics()])).not.toContain("hunter2");
  });

  it("needs a URL in an object", () => {
    const { translator, policy } = harness();
    const [id] = translator.fromObject(
      { forward: { method: "GET" } },
      { resource: ALB, field: ["spec", "config", "auth"], operator: true },
    );
    expect(policy(id).invalid).toBe("forward is set without a url");
  });
});

describe("an auth service in the cluster", () => {
  const service = object("Service", "default/auth", {
    spec: {
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 8443 },
      ],
    },
  });
  const other = object("Service", "sec/auth", { spec: { ports: [{ name: "a", port: 80 }] } });
  const external = object("Service", "default/ext", {
    spec: { type: "ExternalName", externalName: "auth.example", ports: [{ port: 80 }] },
  });
  const udp = object("Service", "default/udp", {
    spec: { ports: [{ port: 80, protocol: "UDP" }] },
  });
  const yaml = service + other + external + udp;

  it.each([
    ["http://auth/x", "default/auth/80"],
    ["http://AUTH:8443/", "default/auth/8443"],
    ["https://auth:8443/", "default/auth/8443"],
    ["http://auth.default/", "default/auth/80"],
    ["http://auth.sec/", "sec/auth/80"],
    ["http://auth.sec.svc/", "sec/auth/80"],
    ["http://auth.sec.svc.cluster.local/", "sec/auth/80"],
    ["http://auth.sec.svc.cluster.local:80/$http_x", "sec/auth/80"],
  ])("%s is %s", (url, upstream) => {
    const { policyOf, translator, reports } = harness(yaml);
    expect(policyOf(compat({ "auth-url": url })).forward?.upstream).toBe(upstream);
    const [namespace, name, port] = upstream.split("/");
    expect(translator.collected().services).toEqual([{ namespace, name, port: Number(port) }]);
    expect(reports()).toEqual([]);
  });

  it.each([
    ["a variable in the host", "http://$host/"],
    ["a variable in the port", "http://auth:$server_port/"],
    ["a name outside the cluster", "http://auth.example.com/"],
    ["a bare name without Service", "http://elsewhere/"],
    ["a namespace without the Service", "http://auth.nowhere/"],
    ["another cluster domain", "http://auth.sec.svc.other.domain/"],
    ["more labels than a Service has", "http://pod.auth.sec.svc/"],
    ["an ExternalName Service", "http://ext/"],
    ["an address", "http://10.0.0.1/"],
  ])("%s is looked up in DNS", (_, url) => {
    const { policyOf, translator, reports } = harness(yaml);
    const policy = policyOf(compat({ "auth-url": url }));
    expect(policy.forward).toBeDefined();
    expect(policy.forward?.upstream).toBeUndefined();
    expect(translator.collected().services).toEqual([]);
    expect(reports()).toEqual([]);
  });

  it.each([
    ["without the port", "http://auth:9999/", "there is no Service default/auth with port 9999"],
    [
      "without the scheme's port",
      "https://auth.sec/",
      "there is no Service sec/auth with port 443",
    ],
    ["with the port for UDP", "http://udp/", "there is no Service default/udp with port 80"],
    ["that does not exist", "http://x.sec.svc/", "there is no Service sec/x with port 80"],
    [
      "by its full name",
      "http://x.sec.svc.cluster.local/",
      "there is no Service sec/x with port 80",
    ],
  ])("a Service %s is reported and looked up in DNS", (_, url, message) => {
    const { policyOf, reports } = harness(yaml);
    const policy = policyOf(compat({ "auth-url": url }));
    expect(policy.forward?.upstream).toBeUndefined();
    expect(reports().map(([code, , , text]) => [code, text])).toEqual([
      ["AUTH_SERVICE_NOT_FOUND", message],
    ]);
  });

  it("is found by the cluster's domain", () => {
    const { policyOf } = harness(yaml, { clusterDomain: "k8s.example" });
    const url = "http://auth.sec.svc.k8s.example/";
    expect(policyOf(compat({ "auth-url": url })).forward?.upstream).toBe("sec/auth/80");
  });

  it("is of the object's namespace for a bare name", () => {
    const { translator, policy } = harness(
      object("Service", "cpaas-system/auth", { spec: { ports: [{ port: 80 }] } }),
    );
    const [id] = translator.fromObject(
      { forward: { url: "http://auth" } },
      { resource: ALB, field: ["spec", "config", "auth"], operator: true },
    );
    expect(policy(id).forward?.upstream).toBe("cpaas-system/auth/80");
  });
});

describe("a fragment", () => {
  it("is left out of the auth URL and reported", () => {
    const { policyOf, reports } = harness();
    const policy = policyOf(compat({ "auth-url": "http://auth.example/verify#x" }));
    expect(policy.forward).toEqual(TRANSLATED);
    expect(reports().map(([code]) => code)).toEqual(["AUTH_URL_FRAGMENT"]);
  });
});
