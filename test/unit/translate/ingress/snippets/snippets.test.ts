import { DEFAULT_OPTIONS } from "../../../../../src/model/options.js";
import { IngressAnnotations } from "../../../../../src/translate/ingress/annotations/annotation-reader.js";
import {
  type SnippetName,
  SNIPPETS,
} from "../../../../../src/translate/ingress/snippets/directives.js";
import {
  hostLocations,
  readSnippets,
  snippetReports,
} from "../../../../../src/translate/ingress/snippets/snippets.js";

const { domains } = DEFAULT_OPTIONS;
const OPTIONS = { ...DEFAULT_OPTIONS, snippets: "translate" } as const;
const [PATH, SERVER] = SNIPPETS;

function lookup(snippets: Readonly<Partial<Record<SnippetName, string>>>) {
  const annotations: Record<string, string> = {};
  for (const [name, text] of Object.entries(snippets)) {
    annotations[`${domains.compatAnnotations}/${name}`] = text;
  }
  return new IngressAnnotations(annotations, domains).whole;
}

function read(path: string, server = "", annotated: Parameters<typeof readSnippets>[2] = {}) {
  return readSnippets(lookup({ [PATH]: path, [SERVER]: server }), OPTIONS, annotated);
}

const messages = (name: SnippetName, text: string, before = "") =>
  snippetReports(name, text, OPTIONS, before).map(({ code, message }) => `${code} ${message}`);

it("reads nothing unless the option says so", () => {
  const refusing = { snippets: "refuse" } as const;
  expect(readSnippets(lookup({ [PATH]: "return 403;" }), refusing, {})).toEqual({});
  expect(hostLocations(lookup({ [SERVER]: "location / { deny all; }" }), refusing)).toEqual([]);
});

it.each([
  ["variables", '"$host$host"', 65],
  ["text", "x".repeat(4000), 17],
])("removes headers of requests, and no others, with too much %s", (_, value, count) => {
  const lines = `proxy_set_header X-A ${value}; add_header X-B 1; proxy_set_header Host a.example;`;
  const { requestSteps = [], responseSteps } = read(lines.repeat(count));
  expect(new Set(requestSteps.map((step) => JSON.stringify(step)))).toEqual(
    new Set(['{"headers":[["X-A",[]]]}']),
  );
  expect(responseSteps).toBeUndefined();
});

it("closes what has too many steps", () => {
  expect(messages(PATH, "set $a 1;".repeat(201))).toEqual([
    expect.stringMatching(/^RESTRICTION_UNSUPPORTED configuration-snippet: "if" may restrict/),
    expect.stringMatching(/^SNIPPET_UNSUPPORTED .* it has 201 steps, and 200 are the most$/),
  ]);
});

it("knows the variables of the host in the snippets of its paths", () => {
  const host = "set $a 1;";
  expect(messages(PATH, "if ($a) { return 403; }", host)).toEqual([]);
  expect(messages(PATH, "if ($a) { return 403; }")).toHaveLength(2);
  expect(read("if ($a) { return 403; }", host)).toMatchObject({
    hostFlow: [["set", 10, ["1"]]],
    flow: [
      ["if", [[10, "raw"]], ["on"], 1, 1],
      ["return", 403, [], "text/html"],
    ],
  });
});

it("hides the add_header around an if that has its own, and no other", () => {
  const { responseSteps } = read(
    "if ($host) { add_header X-A 1 always; } if ($args) { expires -1; } add_header X-B 1 always;",
  );
  expect(responseSteps).toEqual([
    expect.objectContaining({ ifs: [2] }),
    { headers: [["X-B", ["1"]]], adds: true, ifs: [0, 2] },
    { headers: [["X-A", ["1"]]], adds: true, ifs: [1] },
  ]);
});

it("adds rules of clients behind those of annotations", () => {
  const host = "deny 10.0.0.3; allow all;";
  expect(read("", host)).toEqual({ deny: ["10.0.0.3/32"] });
  expect(read("deny 10.0.0.2;", host)).toEqual({ deny: ["10.0.0.2/32"] });
  expect(read("deny 10.0.0.2;", "", { deny: ["10.0.0.1/32"] })).toEqual({
    deny: ["10.0.0.1/32", "10.0.0.2/32"],
  });
  expect(read("allow all;", "", { allow: ["10.0.0.1/32"] })).toEqual({ allow: ["10.0.0.1/32"] });
});

it("closes only the location that can't be done", () => {
  const snippet = "location /a { lua_code x; } location /b { return 404; }";
  expect(hostLocations(lookup({ [SERVER]: snippet }), OPTIONS)).toMatchObject([
    { match: ["start", "/b"], settings: { deny: ["0.0.0.0/0", "::/0"] } },
  ]);
  expect(messages(SERVER, snippet)[0]).toMatch(/"lua_code" may restrict access/);
});

it.each([
  ["if ($host) { proxy_set_header X-A 1; }", '"proxy_set_header" is refused by nginx in an if'],
  ["location /a { return 403; }", '"location" is not translated'],
  ["set $host a;", 'set can\'t set "$host"'],
  ["if (-f /etc/passwd) { return 403; }", "if can't be read: it is no condition on a variable"],
  ["return 99;", 'return can\'t answer "99"'],
  ["rewrite ( /a;", "rewrite can't be read: "],
  ["allow 10.0.0.1; deny 10.0.0.0/8;", "deny after allow can't be translated, except deny all"],
  ["sub_filter a b;", '"sub_filter" is not translated'],
  ["include /etc/nginx/x;", '"include" is not translated'],
])("names what is not done: %s", (snippet, clause) => {
  expect(messages(PATH, snippet).at(-1)).toContain(clause);
});

it("closes for each of these", () => {
  for (const snippet of [
    "set $host a;",
    "if ($upstream_http_x) { return 403; }",
    "if ($geoip_country) { deny all; }",
    "return 302 $nope;",
    "rewrite ^ $nope;",
    "allow 10.0.0.1; deny 10.0.0.0/8;",
    "limit_except GET { allow 10.0.0.1; deny all; }",
    "satisfy some;",
    "auth_basic on;",
    "include x;",
    "access_by_lua_block { ngx.exit(403) }",
    "if ($host) { if ($args) { return 403; } }",
  ]) {
    expect([snippet, messages(PATH, snippet)[0]]).toEqual([
      snippet,
      expect.stringMatching(/^RESTRICTION_UNSUPPORTED /),
    ]);
  }
});
