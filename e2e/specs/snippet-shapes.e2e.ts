/** Snippets as public charts and forum answers write them, with what ingress-nginx answered. */
import { EchoBackend, asking, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { type HeaderLines, headerValues } from "../harness/http-message.js";
import { ingress, nginx, service, snippets, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

/** A request and its answer: of the backend, unless `status` or `body` says otherwise. */
interface Exchange {
  /** `<method> <target>` */
  readonly ask: string;
  readonly headers?: HeaderLines;
  readonly status?: number;
  readonly location?: string;
  readonly body?: string;
  /** Response headers. */
  readonly shows?: Readonly<Record<string, readonly string[]>>;
  /** What the backend got. */
  readonly target?: string;
  readonly sent?: Readonly<Record<string, readonly string[]>>;
}

interface Shape {
  readonly path?: string;
  readonly server?: string;
  readonly more?: Readonly<Record<string, string>>;
  /** Path of the rule. */
  readonly rule?: string;
  readonly exchanges: readonly Exchange[];
}

const get = (target: string, more: Omit<Exchange, "ask"> = {}): Exchange => ({
  ask: `GET ${target}`,
  ...more,
});

const HOST = "HOST";

const SHAPES: Readonly<Record<string, Shape>> = {
  "oauth2-proxy: auth host by return": {
    server: `location = /oauth2/sign_out { return 302 https://idp.example/logout?next=$scheme://$host/; }`,
    exchanges: [
      get("/oauth2/sign_out", {
        status: 302,
        location: `https://idp.example/logout?next=http://${HOST}/`,
      }),
      get("/", { target: "/" }),
    ],
  },
  "Grafana: sub path": {
    path: `rewrite ^/grafana/(.*) /$1 break; proxy_set_header X-WEBAUTH-USER $http_x_user;`,
    rule: "/grafana",
    exchanges: [
      get("/grafana/d/abc?orgId=1", {
        headers: [["X-User", "ann"]],
        target: "/d/abc?orgId=1",
        sent: { "x-webauth-user": ["ann"] },
      }),
    ],
  },
  "Grafana: metrics closed": {
    server: `location = /metrics { deny all; return 403; }`,
    exchanges: [get("/metrics", { status: 403 }), get("/metrics/x", { target: "/metrics/x" })],
  },
  "Harbor: registry by user agent": {
    path: `if ($http_user_agent !~* "docker|containerd|Go-http-client") { return 302 https://$host/harbor/projects; }`,
    exchanges: [
      get("/", {
        headers: [["User-Agent", "curl/8"]],
        status: 302,
        location: `https://${HOST}/harbor/projects`,
      }),
      get("/v2/", { headers: [["User-Agent", "containerd/1.7"]], target: "/v2/" }),
    ],
  },
  "GitLab: robots.txt": {
    server: `location = /robots.txt { add_header Content-Type text/plain; return 200 "User-agent: *\\nDisallow: /\\n"; }`,
    exchanges: [
      get("/robots.txt", {
        status: 200,
        body: "User-agent: *\nDisallow: /\n",
        shows: { "content-type": ["text/plain"] },
      }),
    ],
  },
  "GitLab: sign-up closed": {
    server: `location ^~ /users/sign_up { return 404; }`,
    exchanges: [
      get("/users/sign_up", { status: 404 }),
      get("/users/sign_in", { target: "/users/sign_in" }),
    ],
  },
  "Argo CD: http to https by header": {
    path: `if ($http_x_forwarded_proto = "http") { return 301 https://$host$request_uri; }`,
    exchanges: [
      get("/applications?a=b%20c", {
        headers: [["X-Forwarded-Proto", "http"]],
        status: 301,
        location: `https://${HOST}/applications?a=b%20c`,
      }),
      get("/applications", { target: "/applications" }),
    ],
  },
  "Keycloak: welcome page": {
    path: `rewrite ^/$ /auth/admin/ redirect;`,
    exchanges: [
      get("/", { status: 302, location: "/auth/admin/" }),
      get("/auth/", { target: "/auth/" }),
    ],
  },
  "Keycloak: admin for the office only": {
    server: `location ~* ^/(auth/)?(admin|realms/master) { allow 10.0.0.0/8; deny all; }`,
    exchanges: [
      get("/auth/admin/", { status: 403 }),
      get("/realms/MASTER", { status: 403 }),
      get("/realms/app", { target: "/realms/app" }),
    ],
  },
  "Keycloak: metrics and health": {
    server: `location ~ ^/(metrics|health)$ { return 403; }`,
    exchanges: [
      get("/metrics", { status: 403 }),
      get("/health", { status: 403 }),
      get("/healthy", {}),
    ],
  },
  "Nextcloud: discovery": {
    server: `rewrite ^/\\.well-known/carddav https://$host/remote.php/dav permanent;
      location = /.well-known/caldav { return 301 /remote.php/dav; }`,
    exchanges: [
      get("/.well-known/carddav", { status: 301, location: `https://${HOST}/remote.php/dav` }),
      get("/.well-known/caldav", { status: 301, location: "/remote.php/dav" }),
    ],
  },
  "Nextcloud: private folders": {
    server: `location ~ ^/(?:build|tests|config|lib|3rdparty|templates|data)/ { deny all; }
      location ~ ^/(?:\\.|autotest|occ|issue|indie|db_|console) { deny all; }`,
    exchanges: [
      get("/config/config.php", { status: 403 }),
      get("/.htaccess", { status: 403 }),
      get("/apps/files", { target: "/apps/files" }),
    ],
  },
  "Jenkins: agent path": {
    path: `rewrite "^/static/[0-9a-fA-F]{8}\\/(.*)$" /$1 last; more_set_headers "X-Content-Type-Options: nosniff";`,
    exchanges: [
      get("/static/0123abcd/css/style.css", {
        target: "/css/style.css",
        shows: { "x-content-type-options": ["nosniff"] },
      }),
    ],
  },
  "Authelia: method of the request": {
    path: `if ($request_method !~ ^(GET|HEAD|POST)$) { return 405; }`,
    exchanges: [
      { ask: "DELETE /", status: 405 },
      { ask: "POST /", target: "/" },
    ],
  },
  "MinIO: console": {
    path: `if ($http_accept ~* "text/html") { return 307 https://console.example$request_uri; }`,
    exchanges: [
      get("/bucket/a%2Fb", {
        headers: [["Accept", "text/html"]],
        status: 307,
        location: "https://console.example/bucket/a%2Fb",
      }),
      get("/bucket/a%2Fb", { target: "/bucket/a%2Fb" }),
    ],
  },
  "CORS by if, preflight": {
    path: `if ($request_method = 'OPTIONS') {
        add_header 'Access-Control-Allow-Origin' '*';
        add_header 'Access-Control-Allow-Methods' 'GET, POST, OPTIONS';
        add_header 'Access-Control-Max-Age' 1728000;
        add_header 'Content-Type' 'text/plain charset=UTF-8';
        add_header 'Content-Length' 0;
        return 204;
      }
      if ($request_method = 'GET') { add_header 'Access-Control-Allow-Origin' '*' always; }
      add_header X-Outer 1;`,
    exchanges: [
      {
        ask: "OPTIONS /api",
        status: 204,
        shows: {
          "access-control-allow-origin": ["*"],
          "access-control-max-age": ["1728000"],
          "x-outer": [],
        },
      },
      get("/api", { shows: { "access-control-allow-origin": ["*"], "x-outer": [] } }),
      { ask: "POST /api", shows: { "access-control-allow-origin": [], "x-outer": ["1"] } },
    ],
  },
  "CORS by if and origin": {
    path: `if ($http_origin ~* "^https://(app|admin)\\.example\\.com$") {
        more_set_headers "Access-Control-Allow-Origin: $http_origin" "X-App: $1";
      }`,
    exchanges: [
      get("/", {
        headers: [["Origin", "https://app.example.com"]],
        shows: { "access-control-allow-origin": ["https://app.example.com"], "x-app": ["app"] },
      }),
      get("/", {
        headers: [["Origin", "https://evil.example"]],
        shows: { "access-control-allow-origin": [] },
      }),
    ],
  },
  "CORS by variables": {
    path: `set $cors "";
      if ($http_origin ~ "\\.trusted\\.example$") { set $cors "true"; }
      if ($request_method = OPTIONS) { set $cors "\${cors}options"; }
      if ($cors = "trueoptions") { add_header Access-Control-Allow-Origin $http_origin; return 204; }`,
    exchanges: [
      {
        ask: "OPTIONS /",
        headers: [["Origin", "https://a.trusted.example"]],
        status: 204,
        shows: { "access-control-allow-origin": ["https://a.trusted.example"] },
      },
      { ask: "OPTIONS /", headers: [["Origin", "https://b.example"]], target: "/" },
    ],
  },
  "www to apex": {
    server: `if ($host ~* ^www[-.](.*)$) { return 301 https://$1$request_uri; }
      if ($host ~ ^(.*)\\.example$) { set $site $1; }`,
    path: "proxy_set_header X-Site $site;",
    exchanges: [get("/a?b", { status: 301, location: "https://REST/a?b" })],
  },
  "host to host with the path": {
    path: `return 301 https://new.example.com$request_uri;`,
    exchanges: [get("/x%20y?z=1", { status: 301, location: "https://new.example.com/x%20y?z=1" })],
  },
  "rewrite to another host keeps the query": {
    path: `rewrite ^/old/(.*)$ https://new.example.com/$1 permanent;`,
    exchanges: [
      get("/old/a%20b?c=d", { status: 301, location: "https://new.example.com/a%20b?c=d" }),
      get("/other", { target: "/other" }),
    ],
  },
  "maintenance page": {
    path: `if ($cookie_preview != "1") { return 503 "down for maintenance"; }`,
    exchanges: [
      get("/", {
        status: 503,
        body: "down for maintenance",
        shows: { "content-type": ["text/html"] },
      }),
      get("/", { headers: [["Cookie", "preview=1"]], target: "/" }),
    ],
  },
  "security headers": {
    path: `more_set_headers "X-Frame-Options: DENY";
      more_set_headers "Strict-Transport-Security: max-age=31536000; includeSubDomains; preload";
      add_header Referrer-Policy no-referrer always;
      more_clear_headers Server X-Powered-By;`,
    exchanges: [
      get("/", {
        headers: [asking({ status: 500, headers: [["X-Powered-By", "PHP"]] })],
        status: 500,
        shows: {
          "x-frame-options": ["DENY"],
          "strict-transport-security": ["max-age=31536000; includeSubDomains; preload"],
          "referrer-policy": ["no-referrer"],
          "x-powered-by": [],
          server: [],
        },
      }),
    ],
  },
  "Spring: actuator": {
    server: `location /actuator { deny all; return 404; }`,
    exchanges: [
      get("/actuator/env", { status: 404 }),
      get("/actuators", { status: 404 }),
      get("/app/actuator", { target: "/app/actuator" }),
      get("/%61ctuator/env", { status: 404 }),
    ],
  },
  "WordPress: xmlrpc and login": {
    server: `location = /xmlrpc.php { deny all; }
      location ~ /wp-(config|settings)\\.php$ { deny all; access_log off; }`,
    more: {},
    exchanges: [
      get("/xmlrpc.php", { status: 403 }),
      get("/x/wp-config.php", { status: 403 }),
      get("/wp-login.php", {}),
    ],
  },
  "dot files, but the challenge": {
    server: `location ~ /\\.(?!well-known) { deny all; }`,
    exchanges: [
      get("/.git/config", { status: 403 }),
      get("/.well-known/security.txt", { target: "/.well-known/security.txt" }),
    ],
  },
  bots: {
    server: `if ($http_user_agent ~* (AhrefsBot|SemrushBot|MJ12bot)) { return 403; }`,
    exchanges: [
      get("/", {
        headers: [["User-Agent", "Mozilla/5.0 (compatible; semrushbot/7)"]],
        status: 403,
      }),
      get("/", { headers: [["User-Agent", "Mozilla/5.0"]], target: "/" }),
    ],
  },
  referer: {
    path: `if ($http_referer ~* "spam\\.example") { return 444; }
      if ($http_referer = "") { return 402; }`,
    exchanges: [
      get("/", { status: 402 }),
      get("/", { headers: [["Referer", "https://a.example/"]], target: "/" }),
    ],
  },
  "shared key": {
    path: `if ($http_x_api_key != "s3cret") { return 401; }`,
    exchanges: [
      get("/", { status: 401 }),
      get("/", { headers: [["X-API-Key", "s3cret"]], target: "/" }),
    ],
  },
  arguments: {
    path: `if ($arg_debug) { return 400; } if ($args ~ "(^|&)v=1(&|$)") { rewrite ^/(.*)$ /v1/$1? break; }`,
    exchanges: [
      get("/x?debug=1", { status: 400 }),
      get("/x?debug=0", { target: "/x?debug=0" }),
      get("/x?v=1", { target: "/v1/x" }),
    ],
  },
  "trailing slash": {
    path: `rewrite ^([^.]*[^/])$ $1/ permanent;`,
    exchanges: [
      get("/docs", { status: 301, location: "/docs/" }),
      get("/docs/", { target: "/docs/" }),
    ],
  },
  "single page app": {
    path: `rewrite ^/app(/[^.]*)?$ /index.html break;`,
    exchanges: [
      get("/app/users/1?a=1", { target: "/index.html?a=1" }),
      get("/app/main.js", { target: "/app/main.js" }),
    ],
  },
  "rewrite leads to another rule": {
    server: `rewrite ^/legacy/(.*)$ /other/$1 last;`,
    exchanges: [get("/legacy/a%20b?c", { target: "/other/a%20b?c" })],
  },
  "a rewrite that never ends": {
    path: `rewrite ^/(.*)$ /x$1 last;`,
    exchanges: [get("/", { status: 500 })],
  },
  "break stops the rewrite-target": {
    rule: "/api/(.*)",
    more: { "rewrite-target": "/$1", "use-regex": "true" },
    path: `rewrite ^/api/v2/(.*)$ /second/$1 break;`,
    exchanges: [get("/api/v2/a", { target: "/second/a" }), get("/api/b", { target: "/b" })],
  },
  "read only": {
    path: `limit_except GET OPTIONS { deny all; }`,
    exchanges: [{ ask: "POST /", status: 403 }, { ask: "HEAD /" }, get("/", { target: "/" })],
  },
  network: {
    path: `deny 127.0.0.0/8; allow all;`,
    exchanges: [get("/", { status: 403 })],
  },
  "network, allowed": {
    path: `allow 127.0.0.1; deny all;`,
    exchanges: [get("/", { target: "/" })],
  },
  "json answer": {
    server: `location = /version { default_type application/json; return 200 '{"host":"$host"}'; }`,
    exchanges: [
      get("/version", {
        status: 200,
        body: `{"host":"${HOST}"}`,
        shows: { "content-type": ["application/json"] },
      }),
    ],
  },
  "health by location": {
    server: `location /healthz { access_log off; return 200 "ok"; }`,
    exchanges: [
      get("/healthz", { status: 200, body: "ok" }),
      { ask: "HEAD /healthz", status: 200 },
    ],
  },
  "location without an answer": {
    server: `location /nothing { more_set_headers "X-A: 1"; }`,
    exchanges: [get("/nothing", { status: 404, shows: { "x-a": ["1"] } })],
  },
  "tuning that never acted": {
    path: `proxy_buffer_size 128k; proxy_buffers 4 256k; proxy_http_version 1.1; proxy_read_timeout 300;`,
    server: `client_max_body_size 0; proxy_set_header X-A 1;`,
    exchanges: [get("/", { target: "/", sent: { "x-a": [] } })],
  },
};

const scene = useScene();
let gateway: Gateway;

const hostOf = (name: string) =>
  `${name === "www to apex" ? "www." : ""}${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.example`;

function site([name, { more, rule, ...seen }]: [string, Shape]) {
  const pathType = rule?.includes("(") ? ("ImplementationSpecific" as const) : ("Prefix" as const);
  return ingress(hostOf(name).replaceAll(".", "-"), {
    annotations: { ...snippets(seen), ...nginx(more ?? {}) },
    hosts: { [hostOf(name)]: [{ service: "web", pathType, ...(rule && { path: rule }) }] },
  });
}

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  gateway = await scene.use(
    Gateway.start({
      flags: ["--snippets", "translate"],
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          ...Object.entries(SHAPES).map(site),
        ),
      },
    }),
  );
});

function valuesOf(lines: HeaderLines, names: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.keys(names).map((name) => [name, headerValues(lines, name)]));
}

const EXCHANGES = Object.entries(SHAPES).flatMap(([name, { exchanges }]) =>
  exchanges.map((exchange) => [`${name}, ${exchange.ask}`, name, exchange] as const),
);

it.each(EXCHANGES)("%s", async (_, name, exchange) => {
  const host = hostOf(name);
  const filled = (text: string) =>
    text.replaceAll(HOST, host).replace("REST", host.replace("www.", ""));
  const [method = "", path = ""] = exchange.ask.split(" ");
  const { status, location, body, shows = {}, target, sent = {}, headers = [] } = exchange;
  const response = await gateway.send({ host, method, path, headers });

  const seen = {
    status: response.status,
    location: response.header("location"),
    ...valuesOf(response.headers, shows),
    ...(body !== undefined && { body: response.text }),
  };
  expect(seen).toEqual({
    status: status ?? 200,
    location: location && filled(location),
    ...shows,
    ...(body !== undefined && { body: filled(body) }),
  });
  if (target !== undefined) {
    expect({ target: echoOf(response).url, ...valuesOf(echoOf(response).headers, sent) }).toEqual({
      target,
      ...sent,
    });
  }
});
