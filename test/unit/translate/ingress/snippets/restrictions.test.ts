import type { PathMatch } from "../../../../../src/model/route.js";
import { snippetRestrictions } from "../../../../../src/translate/ingress/snippets/restrictions.js";

it.each([
  "deny all;",
  "allow 10.0.0.0/8;\ndeny all;",
  "if ($http_x_key != secret) { return 403; }",
  "if ($request_method = POST) { return\n444; }",
  "return $code;",
  'if ($http_x_key != secret) { return "$code"; }',
  "set $code 403; return ${code};",
  "rewrite ^/old 410;",
  "try_files $uri =404;",
  "limit_except GET { allow 10.0.0.0/8; }",
  "internal;",
  "satisfy any;",
  "auth_basic x; auth_basic_user_file /etc/x;",
  "auth_request /check;",
  "ssl_verify_client on;",
  "access_by_lua_block { ngx.exit(403) }",
  'add_header X "#"; deny all;',
  "add_header X a#b; deny all;",
  '"deny" all;',
  "# comment\ndeny all;",
  'set $x "a\\";b"; deny all;',
  'set $x "unfinished; deny all;',
  "include /etc/nginx/deny.conf;",
  "rewrite_by_lua_block { ngx.exit(403) }",
  "header_filter_by_lua_block { ngx.status = 403 }",
  "js_access main.check;",
  "if ($http_x_key) { set $x y; }",
  "return 200 ok;",
  "return 301 https://b.example$request_uri;",
  "rewrite ^/a/(.*) /b/$1 last;",
  "proxy_pass http://other;",
  "proxy_ssl_verify on;",
  "ssl_client_certificate /etc/ca.pem;",
  "modsecurity on;",
  "unheard_of x;",
  "GZIP on;",
  "gzip on; } deny all;",
  "toString x;",
])("%j restricts", (text) => {
  expect(snippetRestrictions(text).isWhole).toBe(true);
});

it.each([
  "",
  "# deny all;",
  'more_set_headers "X-Frame-Options: deny";',
  "more_set_headers 'a; deny all;';",
  "add_header X-Internal internal;",
  "set $x return; set $y $z;",
  "add_header X ${host}deny;\n# deny all;\n;",
  '"add_header" X y;',
  "proxy_read_timeout 5s; proxy_next_upstream off; gzip_types text/css; limit_req zone=one; client_max_body_size 8m;",
  "proxy_set_header X-Allow allow;",
  "error_page 404 /404.html;",
  "location /admin { gzip on; }",
])("%j does not", (text) => {
  expect(snippetRestrictions(text)).toEqual({ isWhole: false, locations: [] });
});

it.each<[string, boolean, readonly PathMatch[]]>([
  ["location /admin{deny all;}", false, [["start", "/admin"]]],
  ["location = /admin { deny all; }", false, [["exact", "/admin"]]],
  ["location ^~ /admin { deny all; }", false, [["start", "/admin"]]],
  ["location ~ \\.php$ { deny all; }", false, [["regex", "\\.php$", ""]]],
  ['location ~* "^/a" { deny all; } gzip on;', false, [["regex", "^/a", "i"]]],
  ["location /a { if ($x) { return 403; } } location /b { gzip on; }", false, [["start", "/a"]]],
  ["location /a { deny all; } deny all;", true, [["start", "/a"]]],
  ["if ($x) { deny all; } location /a { deny all; }", true, [["start", "/a"]]],
  ["location @named { deny all; }", true, []],
  ["location /a { deny all;", true, []],
])("of %j restricts: all %j, locations %j", (text, isWhole, locations) => {
  expect(snippetRestrictions(text)).toEqual({ isWhole, locations });
});

it("reads a long snippet once", () => {
  const text = '"\\" '.repeat(60_000) + "'\\' ".repeat(60_000);
  const start = performance.now();
  snippetRestrictions(text);
  expect(performance.now() - start).toBeLessThan(2000);
});
