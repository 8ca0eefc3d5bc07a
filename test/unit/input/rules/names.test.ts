import {
  checkText,
  dataKeyProblem,
  hostProblem,
  labelProblem,
  labelValueProblem,
  pathSegmentProblem,
  portNameProblem,
  qualifiedNameProblem,
  subdomainProblem,
} from "../../../../src/input/rules/names.js";

const long = (length: number) => "a".repeat(length);

describe.each([
  [
    "labelProblem",
    labelProblem,
    ["a", "0", "a-b", long(63)],
    ["", "A", "a.b", "-a", "a-", "a_b", "a\n", long(64)],
  ],
  [
    "subdomainProblem",
    subdomainProblem,
    ["a", "a.b-c.0", `${long(63)}.${long(63)}`, long(253)],
    ["", "A.b", ".a", "a.", "a..b", "a.-b", "a/b", "a\n", long(254)],
  ],
  [
    "hostProblem",
    hostProblem,
    ["a.example", "*.a.example", "*.x"],
    [
      "",
      "*",
      "*.",
      "a.*.b",
      "*a.b",
      "**.a",
      "10.0.0.1",
      "::1",
      "[::1]",
      "A.b",
      "a:80",
      "*.10.0.0.1x_",
    ],
  ],
  [
    "qualifiedNameProblem",
    qualifiedNameProblem,
    ["a", "A.b_c-0", "example.com/a", "index.0-1.alb.ingress.cpaas.io/auth-url", long(63)],
    ["", "/a", "a/", "a/b/c", "A.com/b", "-a", "a b", long(64), `${long(254)}/a`],
  ],
  [
    "labelValueProblem",
    labelValueProblem,
    ["", "a", "A_b.c-0", long(63)],
    ["-a", "a ", "a/b", long(64)],
  ],
  [
    "portNameProblem",
    portNameProblem,
    ["http", "h2c", "a-1"],
    ["", "80", "HTTP", "a--b", "-a", "a-", long(16)],
  ],
  [
    "dataKeyProblem",
    dataKeyProblem,
    ["auth", "tls.crt", "__proto__", ".a", long(253)],
    ["", ".", "..", "..a", "a/b", "a b", long(254)],
  ],
  ["pathSegmentProblem", pathSegmentProblem, ["a", "A b", "..."], [".", "..", "a/b", "a%b"]],
])("%s", (_name, problem, good, bad) => {
  it.each(good)("takes %j", (text) => {
    expect(problem(text)).toBeUndefined();
  });

  it.each(bad)("refuses %j", (text) => {
    expect(problem(text)).toMatch(/^(must|may|has) /);
  });
});

test.each([
  ["http://b.example/x", "b.example"],
  ["https://b.example:8443", "b.example"],
  ["b.example:8080", "b.example"],
  ["B.Example", "b.example"],
  ["my_app.example", "my-app.example"],
  ["http://user:word@b.example", undefined],
  ["a/b", undefined],
])("the host that %s means is %s", (text, meant) => {
  const hint = meant === undefined ? undefined : `did you mean ${JSON.stringify(meant)}?`;
  expect([...checkText(text, hostProblem, ["host"], "the host")].map((each) => each.hint)).toEqual([
    hint,
  ]);
});
