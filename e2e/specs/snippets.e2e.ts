import { AuthService } from "../harness/auth-service.js";
import { EchoBackend, asking, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { type HeaderLines, headerValues } from "../harness/http-message.js";
import { ingress, nginx, secret, service, snippets, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

/** What clients see of responses, by snippets. */
interface Seen {
  readonly path?: string;
  readonly server?: string;
  readonly more?: Record<string, string>;
  /** What the backend answers. */
  readonly status?: number;
  readonly headers?: HeaderLines;
  readonly sent?: HeaderLines;
  /** The status that the client gets, if it is not the backend's. */
  readonly gets?: number;
  /** The Service. */
  readonly to?: string;
  /** Values of headers, in order. */
  readonly expected: Readonly<Record<string, readonly string[]>>;
}

const BASIC = { "auth-type": "basic", "auth-secret": "users" };
const ALWAYS = 'more_set_headers "X-A: 1";';

const RESPONSES: Readonly<Record<string, Seen>> = {
  "set on 200": { path: ALWAYS, headers: [["X-A", "old"]], expected: { "x-a": ["1"] } },
  "set on 404 of the backend": { path: ALWAYS, status: 404, expected: { "x-a": ["1"] } },
  "set on 401 of basic auth": { path: ALWAYS, more: BASIC, gets: 401, expected: { "x-a": ["1"] } },
  "set on 503 of the gateway": { path: ALWAYS, to: "empty", gets: 503, expected: { "x-a": ["1"] } },
  "several headers, variables": {
    path: `more_set_headers 'X-A: $host' "X-B: \${request_method} \\"q\\"";`,
    expected: { "x-a": ["HOST"], "x-b": ['GET "q"'] },
  },
  "of a status": {
    path: `more_set_headers -s '404 500' "X-A: 1"; more_set_headers -s 200 "X-B: 1";`,
    status: 404,
    expected: { "x-a": ["1"], "x-b": [] },
  },
  "of a type": {
    path: `more_set_headers -t 'text/html' "X-A: 1"; more_set_headers -t application/json "X-B: 1";`,
    headers: [["Content-Type", "Text/HTML; charset=utf-8"]],
    expected: { "x-a": ["1"], "x-b": [] },
  },
  "removed, with a wildcard, Server too": {
    path: "more_clear_headers X-Asp* Server; more_set_headers X-B:;",
    headers: [
      ["X-Aspnet-Version", "4"],
      ["X-ASP", "1"],
      ["X-As", "1"],
      ["X-B", "1"],
    ],
    expected: { "x-aspnet-version": [], "x-asp": [], "x-as": ["1"], "x-b": [], server: [] },
  },
  "in the order of levels": {
    server: 'more_set_headers "X-A: host" "X-B: host";',
    path: 'more_set_headers "X-A: path";',
    expected: { "x-a": ["path"], "x-b": ["host"] },
  },
  "added to 200": {
    path: "add_header X-A new; add_header X-Empty '';",
    headers: [["X-A", "old"]],
    expected: { "x-a": ["old", "new"], "x-empty": [] },
  },
  "added not to 404": {
    path: "add_header X-A 1; add_header X-B 1 always;",
    status: 404,
    expected: { "x-a": [], "x-b": ["1"] },
  },
  "added by the host": { server: "add_header X-A 1;", expected: { "x-a": ["1"] } },
  "a path's own add_header hides those of the host": {
    server: "add_header X-A 1;",
    path: "add_header X-B 1;",
    expected: { "x-a": [], "x-b": ["1"] },
  },
  "a folded policy": {
    path: "add_header Content-Security-Policy \"default-src 'self';\n   img-src *\";",
    expected: { "content-security-policy": ["default-src 'self'; img-src *"] },
  },
  "hidden of the backend": {
    path: "proxy_hide_header X-A;",
    headers: [["X-A", "1"]],
    expected: { "x-a": [] },
  },
  "not hidden of the gateway": {
    path: "proxy_hide_header WWW-Authenticate;",
    more: BASIC,
    gets: 401,
    expected: { "www-authenticate": ['Basic realm=""'] },
  },
  expires: {
    path: "expires 1h;",
    headers: [["Cache-Control", "no-store"]],
    expected: { "cache-control": ["max-age=3600"] },
  },
  "CORS of annotations wins": {
    path: 'more_set_headers "Access-Control-Allow-Origin: https://snippet.example";',
    more: { "enable-cors": "true", "cors-allow-origin": "https://a.example" },
    sent: [["Origin", "https://a.example"]],
    expected: { "access-control-allow-origin": ["https://a.example"] },
  },
};

/** What backends get, by snippet. */
const REQUESTS: Readonly<
  Record<string, Pick<Seen, "path" | "server" | "sent" | "more" | "expected">>
> = {
  replaced: {
    path: "proxy_set_header X-A $http_x_b;",
    sent: [
      ["X-A", "client"],
      ["X-B", "b"],
    ],
    expected: { "x-a": ["b"] },
  },
  removed: {
    path: 'proxy_set_header X-A ""; more_clear_input_headers "X-B-*";',
    sent: [
      ["X-A", "client"],
      ["X-B-1", "1"],
      ["X-b-2", "2"],
      ["X-B", "3"],
    ],
    expected: { "x-a": [], "x-b-1": [], "x-b-2": [], "x-b": ["3"] },
  },
  "input before proxy_set_header": {
    server: 'more_set_input_headers "X-A: 1" "X-B: 1";',
    path: "proxy_set_header X-C $http_x_a; proxy_set_header X-B 2;",
    expected: { "x-a": ["1"], "x-b": ["2"], "x-c": ["1"] },
  },
  "only what is there": {
    path: 'more_set_input_headers -r "X-A: 1" "X-B: 1";',
    sent: [["X-A", "client"]],
    expected: { "x-a": ["1"], "x-b": [] },
  },
  "not of the host": { server: "proxy_set_header X-A 1;", expected: { "x-a": [] } },
  "Host and credentials": {
    path: 'proxy_set_header Host inner.example; proxy_set_header Authorization "Basic YTpi";',
    more: BASIC,
    sent: [["Authorization", basic("ann", "secret")]],
    expected: { host: ["inner.example"], authorization: ["Basic YTpi"] },
  },
  "framing stays the gateway's": {
    path: 'proxy_set_header Connection "upgrade"; proxy_set_header Upgrade $http_upgrade;',
    expected: { upgrade: [] },
  },
  "a value that can't be sent removes": {
    path: "proxy_set_header X-A $uri;",
    sent: [["X-A", "client"]],
    expected: { "x-a": [] },
  },
};

const scene = useScene();
let gateway: Gateway;
let auth: AuthService;

const hostOf = (kind: string, name: string) =>
  `${kind}-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.example`;

function site(kind: string, name: string, { more, to, ...seen }: Partial<Seen>) {
  return ingress(hostOf(kind, name).replace(".example", ""), {
    annotations: { ...snippets(seen), ...nginx(more ?? {}) },
    hosts: { [hostOf(kind, name)]: [{ service: to ?? "web" }] },
  });
}

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  gateway = await scene.use(
    Gateway.start({
      flags: ["--snippets", "translate"],
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          service("empty"),
          secret("users", { auth: await htpasswdLine("ann", "secret") }),
          ...Object.entries(RESPONSES).map(([name, seen]) => site("shown", name, seen)),
          ...Object.entries(REQUESTS).map(([name, seen]) => site("sent", name, seen)),
          site("auth", "asked", {
            server: "add_header X-A 1;",
            more: {
              "auth-url": `http://127.0.0.1:${auth.port}/asked`,
              "auth-snippet": 'proxy_set_header X-Secret "of $host"; proxy_set_header X-B "";',
            },
          }),
        ),
      },
    }),
  );
});

function valuesOf(lines: HeaderLines, names: Seen["expected"]): Seen["expected"] {
  return Object.fromEntries(Object.keys(names).map((name) => [name, headerValues(lines, name)]));
}

it.each(Object.entries(RESPONSES))("changes responses: %s", async (name, seen) => {
  const { status = 200, headers = [], sent = [], gets = status, expected } = seen;
  const host = hostOf("shown", name);
  const response = await gateway.send({
    host,
    headers: [...sent, asking({ status, headers })],
  });

  expect(response.status).toBe(gets);
  const wanted = JSON.stringify(expected).replace("HOST", host);
  expect(valuesOf(response.headers, expected)).toEqual(JSON.parse(wanted));
});

it.each(Object.entries(REQUESTS))("changes requests: %s", async (name, { sent, expected }) => {
  const host = hostOf("sent", name);
  const response = await gateway.send({ host, path: "/a%0Ab", headers: sent ?? [] });

  expect(valuesOf(echoOf(response).headers, expected)).toEqual(expected);
});

it("changes questions to the auth service, where add_header of the host ends", async () => {
  const headers: HeaderLines = [
    ["X-Secret", "client"],
    ["X-B", "client"],
  ];
  const response = await gateway.send({ host: "auth-asked.example", headers });

  const asked = auth.take("/asked");
  expect([asked.header("x-secret"), asked.header("x-b")]).toEqual([
    "of auth-asked.example",
    undefined,
  ]);
  expect(echoOf(response).header("x-secret")).toBe("client");
  expect(response.all("x-a")).toEqual([]);
});
