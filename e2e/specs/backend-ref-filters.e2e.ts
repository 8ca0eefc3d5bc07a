/** Every filter of Gateway API in a backendRef: done for the requests of that backend, and for no others. */
import { setTimeout as delay } from "node:timers/promises";
import { asking, EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import {
  type Fields,
  authFilter,
  authPolicy,
  gatewayOn,
  routeOf,
} from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { Health } from "../harness/health.js";
import { Connection, type Request, formatChunk } from "../harness/http-client.js";
import type { HttpResponse } from "../harness/http-message.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();
const ORIGIN = ["Origin", "https://app.example"] as const;
let gateway: Gateway;
let port: number;
let copies: EchoBackend;
let health: Health;
/** What the auth service of the rule `session` sets. */
let session: string | undefined;

const service80 = (name: string): Fields => ({ name, port: 80 });
const external = (path: string, more: Fields = {}): Fields => ({
  type: "ExternalAuth",
  externalAuth: {
    protocol: "HTTP",
    ...more,
    backendRef: service80("judge"),
    http: { path, allowedResponseHeaders: ["X-User"] },
  },
});

const WITH_BODY = external("/body", { forwardBody: { maxSize: 1000 } });
const ADD: Fields = {
  type: "RequestHeaderModifier",
  requestHeaderModifier: { add: [{ name: "X-Add", value: "more" }] },
};

/** Filters of a rule and of its second backend, by the route's name. */
const OF_BOTH: Readonly<Record<string, Readonly<Record<"rule" | "backend", readonly Fields[]>>>> = {
  both: { rule: [authFilter("people")], backend: [authFilter("who")] },
  "two-policies": {
    rule: [authFilter("people"), authFilter("same-people")],
    backend: [authFilter("who")],
  },
  "body-too": {
    rule: [authFilter("people"), ADD],
    backend: [WITH_BODY, authFilter("who")],
  },
  counted: { rule: [authFilter("counted"), authFilter("same-people")], backend: [WITH_BODY] },
  session: { rule: [authFilter("session")], backend: [WITH_BODY] },
  "body-alone": { rule: [ADD], backend: [WITH_BODY] },
  "other-user": { rule: [authFilter("set"), ADD], backend: [WITH_BODY, authFilter("who")] },
};

/** By the route's name. Each route has two backends of equal weight: `plain`, and `filtered` with these. */
const FILTERS: Readonly<Record<string, readonly Fields[]>> = {
  request: [
    {
      type: "RequestHeaderModifier",
      requestHeaderModifier: {
        set: [{ name: "X-Set", value: "new" }],
        add: [{ name: "X-Add", value: "more" }],
        remove: ["X-Remove"],
      },
    },
  ],
  response: [
    {
      type: "ResponseHeaderModifier",
      responseHeaderModifier: {
        set: [{ name: "X-Answer", value: "new" }],
        remove: ["X-Secret"],
      },
    },
  ],
  rewrite: [
    {
      type: "URLRewrite",
      urlRewrite: {
        hostname: "inner.example",
        path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/new" },
      },
    },
  ],
  redirect: [
    {
      type: "RequestRedirect",
      requestRedirect: { scheme: "https", hostname: "moved.example", statusCode: 307 },
    },
  ],
  mirror: [{ type: "RequestMirror", requestMirror: { backendRef: service80("copies") } }],
  cors: [{ type: "CORS", cors: { allowOrigins: [ORIGIN[1]], exposeHeaders: ["X-Echo"] } }],
  "auth-policy": [authFilter("people")],
  "external-auth": [external("/allow")],
  refused: [external("/deny")],
  missing: [authFilter("nobody")],
};

beforeAll(async () => {
  const [plain, filtered, judge] = await Promise.all(
    ["plain", "filtered", "judge"].map((name) => scene.use(EchoBackend.start(name))),
  );
  if (!plain || !filtered || !judge) throw new Error("three backends");
  judge.on("/allow/old/x", (_request, response) => {
    response.writeHead(200, { "X-User": "ann" }).end();
  });
  judge.on("/deny/old/x", (_request, response) => {
    response.writeHead(403).end();
  });
  judge.on("/who", ({ url }, response) => {
    response.writeHead(200, { "X-User": new URL(url ?? "", "http://judge").search }).end();
  });
  judge.on("/set", (_request, response) => {
    response.writeHead(200, { Authorization: basic("bob", "other") }).end();
  });
  judge.on("/session", (_request, response) => {
    response.writeHead(200, session === undefined ? {} : { "X-Session": session }).end();
  });
  for (const path of ["/body/old/x", "/body/slow"])
    judge.on(path, (request, response) => {
      request.resume().on("end", () => response.writeHead(200).end());
    });
  for (const backend of [plain, filtered])
    backend.on("/slow", (request, response) => {
      request.once("data", () => response.end("begun"));
    });
  copies = await scene.use(EchoBackend.start("copies"));
  port = await freePort();
  health = new Health(await freePort());
  gateway = await scene.use(
    Gateway.start({
      flags: health.flags,
      errors: [/AUTH_FILTER_UNRESOLVED/],
      files: {
        "site.yaml": yaml(
          gatewayOn({ http: port }),
          ...[plain, filtered, judge, copies].map((each) =>
            service(each.name, [{ port: each.port }]),
          ),
          secret("users", {
            auth: [await htpasswdLine("ann", "secret"), await htpasswdLine("bob", "other")].join(
              "\n",
            ),
          }),
          authPolicy("people", { basic: { secret: "default/users", realm: "people" } }),
          authPolicy("who", {
            forward: {
              url: `http://127.0.0.1:${judge.port}/who?$remote_user`,
              upstream_headers: ["X-User"],
            },
          }),
          authPolicy("session", {
            forward: {
              url: `http://127.0.0.1:${judge.port}/session`,
              upstream_headers: ["X-Session"],
            },
          }),
          authPolicy("counted", { basic: { secret: "default/users" } }),
          authPolicy("same-people", { basic: { secret: "default/users", realm: "people" } }),
          authPolicy("set", {
            basic: { secret: "default/users" },
            forward: {
              url: `http://127.0.0.1:${judge.port}/set`,
              upstream_headers: ["Authorization"],
            },
          }),
          ...Object.entries(OF_BOTH).map(([name, { rule, backend }]) =>
            routeOf("HTTPRoute", name, [
              {
                filters: rule,
                ...(name === "session" && {
                  sessionPersistence: { type: "Header", header: { name: "X-Session" } },
                }),
                backendRefs: [service80("plain"), { ...service80("filtered"), filters: backend }],
              },
            ]),
          ),
          ...Object.entries(FILTERS).map(([name, filters]) =>
            routeOf("HTTPRoute", name, [
              {
                matches: [{ path: { type: "PathPrefix", value: "/old" } }],
                backendRefs: [service80("plain"), { ...service80("filtered"), filters }],
              },
            ]),
          ),
        ),
      },
    }),
  );
});

const BACKEND_HEADERS = asking({
  headers: [
    ["X-Answer", "old"],
    ["X-Secret", "yes"],
  ],
});

/** As many answers of each backend: equal weights take turns in a worker, and there are two. */
async function answers(
  name: string,
  { headers = [], ...request }: Request = {},
): Promise<{ readonly plain: HttpResponse; readonly other: HttpResponse }> {
  const all: HttpResponse[] = [];
  for (let i = 0; i < 12; i += 1) {
    all.push(
      await gateway.send({
        port,
        host: `${name}.example`,
        path: "/old/x?q=1",
        headers: [BACKEND_HEADERS, ["X-Set", "old"], ["X-Remove", "gone"], ...headers],
        ...request,
      }),
    );
  }
  const isPlain = (response: HttpResponse): boolean => response.header("x-echo") === "plain";
  const [plain, other] = [all.find(isPlain), all.find((response) => !isPlain(response))];
  if (!plain || !other) throw new Error("one of the backends got no request");
  expect(echoOf(plain)).toMatchObject({ url: "/old/x?q=1" });
  expect(echoOf(plain).all("x-set")).toEqual(["old"]);
  expect(echoOf(plain).all("x-remove")).toEqual(["gone"]);
  expect([plain.status, plain.header("x-answer"), plain.header("x-secret")]).toEqual([
    ...[200, "old", "yes"],
  ]);
  return { plain, other };
}

/** Checks that have passed, by policy. */
async function passedChecks(): Promise<Readonly<Record<"counted" | "same-people", number>>> {
  const metrics = await health.metrics();
  const of = (name: string): number =>
    metrics.get(
      `albc_auth_policy_checks_total{namespace="default",kind="AuthPolicy",name="${name}",rule="",outcome="passed"}`,
    ) ?? 0;
  return { counted: of("counted"), "same-people": of("same-people") };
}

/** What a backend has of a body without a length when the client has sent half of it. */
async function firstToArrive(name: string): Promise<"half" | "whole"> {
  const connection = await Connection.open({ port });
  try {
    connection.write(
      [
        ...["POST /slow HTTP/1.1", `Host: ${name}.example`, "Transfer-Encoding: chunked"],
        ...[`Authorization: ${basic("ann", "secret")}`, "", "4", "half", ""],
      ].join("\r\n"),
    );
    const answer = connection.receive();
    const isThere = await Promise.race([answer.then(() => true), delay(500, false)]);
    connection.write(formatChunk());
    expect((await answer).status).toBe(200);
    return isThere ? "half" : "whole";
  } finally {
    connection.close();
  }
}

describe("in a backendRef", () => {
  it("RequestHeaderModifier changes what this backend gets", async () => {
    const echo = echoOf((await answers("request")).other);

    expect(echo.all("x-set")).toEqual(["new"]);
    expect(echo.all("x-add")).toEqual(["more"]);
    expect(echo.all("x-remove")).toEqual([]);
  });

  it("ResponseHeaderModifier changes what this backend answers", async () => {
    const { other } = await answers("response");

    expect([other.header("x-answer"), other.header("x-secret")]).toEqual(["new", undefined]);
  });

  it("URLRewrite changes path and host for this backend", async () => {
    const echo = echoOf((await answers("rewrite")).other);

    expect([echo.url, ...echo.all("host")]).toEqual(["/new/x?q=1", "inner.example"]);
  });

  it("RequestRedirect answers in place of this backend", async () => {
    const { other } = await answers("redirect");

    expect([other.status, other.header("location")]).toEqual([
      ...[307, "https://moved.example/old/x?q=1"],
    ]);
  });

  it("RequestMirror copies the requests of this backend, and those only", async () => {
    const paths = (): number => copies.requests.length;
    const { other } = await answers("mirror");
    // Twelve requests, of which half go to each backend in each worker.
    await waitFor("the copies are there", () => paths() >= 5);

    expect(echoOf(other).backend).toBe("filtered");
    expect(Math.abs(paths() - 6)).toBeLessThanOrEqual(1);
  });

  it("CORS tells the browser of this backend", async () => {
    const { plain, other } = await answers("cors", { headers: [ORIGIN] });

    expect(plain.header("access-control-allow-origin")).toBeUndefined();
    expect([
      other.header("access-control-allow-origin"),
      other.header("access-control-expose-headers"),
    ]).toEqual(["https://app.example", "X-Echo"]);
  });

  it("ExtensionRef protects this backend", async () => {
    const { other } = await answers("auth-policy");
    expect([other.status, other.header("www-authenticate")]).toEqual([
      ...[401, 'Basic realm="people"'],
    ]);

    const known = [["Authorization", basic("ann", "secret")]] as const;
    const { other: allowed } = await answers("auth-policy", { headers: known });
    expect(echoOf(allowed).backend).toBe("filtered");
  });

  it("ExternalAuth asks before this backend", async () => {
    const { plain, other } = await answers("external-auth");
    expect(echoOf(other).header("x-user")).toBe("ann");
    expect(echoOf(plain).header("x-user")).toBeUndefined();

    expect((await answers("refused")).other.status).toBe(403);
  });

  const CHUNKED = { method: "POST", body: "some", chunked: true } as const;
  it.each([
    ["both", {}],
    ["two-policies", {}],
    ["body-too", { method: "POST", body: "some" }],
    ["body-too", CHUNKED],
    ["other-user", CHUNKED],
  ] as const)("ExtensionRef of %s knows whom the rule has let in: %j", async (name, request) => {
    const headers = [["Authorization", basic("ann", "secret")]] as const;
    const { plain, other } = await answers(name, { ...request, headers });

    expect(echoOf(other).header("x-user")).toBe("?ann");
    const isSet = name === "other-user";
    for (const each of [plain, other])
      expect(echoOf(each).header("authorization") === undefined).toBe(!isSet);
    if (name === "both" || name === "two-policies") return;
    for (const each of [plain, other]) expect(echoOf(each).all("x-add")).toEqual(["more"]);
    expect(echoOf(other).bodyLength).toBe(4);
  });

  it("a request whose body auth has to await is changed once", async () => {
    const { plain, other } = await answers("body-alone", CHUNKED);

    for (const each of [plain, other]) expect(echoOf(each).all("x-add")).toEqual(["more"]);
  });

  it.each([
    ["filtered", {}],
    ["filtered", { method: "POST", body: "some" }],
    ["plain", {}],
    ["plain", CHUNKED],
  ] as const)(
    "a session that the rule's auth names goes to its backend: %s, %j",
    async (to, request) => {
      session = undefined;
      const { plain, other } = await answers("session");
      session = (to === "plain" ? plain : other).header("x-session");
      expect(session).toBeDefined();

      for (let i = 0; i < 8; i += 1) {
        const sent = { port, host: "session.example", path: "/old/x", ...request };
        const response = await gateway.send(sent);
        expect([response.header("x-echo"), response.header("x-session")]).toEqual([to, undefined]);
      }
    },
  );

  it("each policy that a request passes counts it once, also if its body is awaited", async () => {
    const before = await passedChecks();
    const headers = [["Authorization", basic("ann", "secret")]] as const;
    await answers("counted", { ...CHUNKED, headers });
    let counts: readonly number[] = [];
    await waitFor("the checks are counted", async () => {
      const after = await passedChecks();
      counts = [after.counted - before.counted, after["same-people"] - before["same-people"]];
      return counts.every((count) => count >= 12);
    });

    expect(counts).toEqual([12, 12]);
  });

  it.each(["body-alone", "body-too"])(
    "bodies for other backends than that of ExternalAuth are not awaited: %s",
    async (name) => {
      const first: string[] = [];
      for (let i = 0; i < 8; i += 1) first.push(await firstToArrive(name));

      // Each of two workers takes turns, as without a body.
      expect(first.sort().join(" ")).toMatch(/^(half ){3,5}(whole ?){3,5}$/);
    },
  );

  it("an ExtensionRef that can't be resolved fails its share, and is never passed over", async () => {
    const { other } = await answers("missing");

    expect([other.status, other.reason]).toEqual([
      ...[500, "InvalidRule : invalid cfg filter BackendNotFound"],
    ]);
  });
});
