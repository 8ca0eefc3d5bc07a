import {
  type Manifest,
  alb2,
  frontend,
  ingress,
  namespace,
  rule,
  service,
  serviceGroup,
} from "../harness/manifests.js";
import { scenario } from "../harness/scenario.js";

const OWNER = { alb: "edge", frontend: "web" };

type Term = readonly [type: string, rows: readonly (readonly string[])[], key?: string];

/** A rule for requests that fulfil the terms. */
function when(name: string, terms: readonly Term[], more: Record<string, unknown>): Manifest {
  const dslx = terms.map(([type, values, key]) => ({
    type,
    values,
    ...(key !== undefined && { key }),
  }));
  return rule(name, OWNER, { dslx, ...more });
}

const RULES = { serviceGroup: serviceGroup({ rules: 100 }) };

/** For `<name>.rule.example`. */
const on = (name: string, ...terms: readonly Term[]): Manifest =>
  when(name, [["HOST", [["EQ", `${name}.rule.example`]]], ...terms], RULES);

/** A rule for one path prefix of order.example. */
const order = (name: string, path: string, priority: number, to: string): Manifest =>
  when(
    name,
    [
      ["HOST", [["EQ", "order.example"]]],
      ["URL", [["STARTS_WITH", path]]],
    ],
    {
      priority,
      serviceGroup: serviceGroup({ [to]: 100 }),
    },
  );

scenario(
  {
    backends: ["rules", "first", "second", "ingress", "default"],
    ports: ["web", "other"],
    objects: ({ web, other }) => [
      namespace("default", { "cpaas.io/project": "shop" }),
      namespace("elsewhere", { "cpaas.io/project": "bank" }),
      alb2("edge", { projects: ["shop"], ingressHTTPPort: web, ingressHTTPSPort: 0 }),
      frontend("web", "edge", { port: web }),
      frontend("other", "edge", { port: other, serviceGroup: serviceGroup({ default: 100 }) }),
      on("method", ["METHOD", [["EQ", "DELETE"]]]),
      on("in", ["URL", [["IN", "/one", "/two"]]]),
      on("starts", ["URL", [["STARTS_WITH", "/ab"]]]),
      on("regex", ["URL", [["REGEX", "[0-9]{3}/x$"]]]),
      on("header", ["HEADER", [["EQ", "blue"]], "X-Colour-Name"]),
      on("exists", ["HEADER", [["EXIST"]], "x-flag"]),
      on("query", ["PARAM", [["EQ", "a b"]], "q"]),
      on("cookie", ["COOKIE", [["STARTS_WITH", "v2"]], "canary"]),
      on("address", ["SRC_IP", [["RANGE", "127.0.0.5", "127.0.0.7"]]]),
      on("rows", ["PARAM", ["1", "2"].map((value) => ["EQ", value]), "a"]),
      on("terms", ["PARAM", [["EQ", "1"]], "a"], ["METHOD", [["IN", "PUT", "POST"]]]),
      when("suffix", [["HOST", [["ENDS_WITH", "*.tail.example"]]]], RULES),
      order("late", "/p", 6, "second"),
      order("early", "/p", 4, "first"),
      order("wide-early", "/q", 3, "first"),
      order("long-late", "/q/longer", 4, "second"),
      order("wide", "/r", 5, "second"),
      order("long", "/r/longer", 5, "first"),
      order("before-ingress", "/i", 4, "first"),
      order("after-ingress", "/j", 6, "second"),
      ingress("shop", {
        hosts: {
          "order.example": [
            { path: "/i/longer", service: "ingress" },
            { path: "/j", service: "ingress" },
          ],
        },
      }),
      ingress("classed", {
        className: "edge",
        hosts: { "classed.example": [{ service: "ingress" }] },
      }),
      ingress("foreign-class", {
        className: "other-balancer",
        hosts: { "foreign.example": [{ service: "ingress" }] },
      }),
      ingress("foreign-project", {
        namespace: "elsewhere",
        hosts: { "bank.example": [{ service: "private" }] },
      }),
      ...service("private", [{ port: other ?? 0 }], "elsewhere"),
    ],
  },
  `
  # Terms
  DELETE method.rule.example/ [port web] → rules
  GET method.rule.example/ [port web] → 404
  GET in.rule.example/two [port web] → rules
  GET in.rule.example/two/ [port web] → 404
  GET starts.rule.example/abc [port web] → rules
  GET starts.rule.example/a [port web] → 404
  GET regex.rule.example/some/123/x [port web] → rules
  GET regex.rule.example/some/12/x [port web] → 404
  GET header.rule.example/ [x-colour-name: blue] [port web] → rules
  GET header.rule.example/ [x-colour-name: red] [port web] → 404
  GET header.rule.example/ [port web] → 404
  GET exists.rule.example/ [X-Flag: anything] [port web] → rules
  GET exists.rule.example/ [port web] → 404
  GET query.rule.example/?x=1&q=a%20b [port web] → rules
  GET query.rule.example/?q=ab [port web] → 404
  GET cookie.rule.example/ [Cookie: a=1; canary=v2.1] [port web] → rules
  GET cookie.rule.example/ [Cookie: a=1; canary=v1] [port web] → 404
  GET address.rule.example/ [from 127.0.0.6] [port web] → rules
  GET address.rule.example/ [from 127.0.0.8] [port web] → 404
  # A client can't claim another address.
  GET address.rule.example/ [X-Real-IP: 127.0.0.6] [X-Forwarded-For: 127.0.0.6] [port web] → 404
  # Rows are alternatives, terms hold together.
  GET rows.rule.example/?a=2 [port web] → rules
  GET rows.rule.example/?a=3 [port web] → 404
  POST terms.rule.example/?a=1 [port web] → rules
  GET terms.rule.example/?a=1 [port web] → 404
  # ENDS_WITH is for one label.
  GET a.tail.example/ [port web] → rules
  GET a.b.tail.example/ [port web] → 404
  GET xtail.example/ [port web] → 404
  # The lower priority number comes first, though another is more specific; then the longer path. An Ingress has 5.
  GET order.example/p [port web] → first
  GET order.example/q/longer/x [port web] → first
  GET order.example/r/longer/x [port web] → first
  GET order.example/r/other [port web] → second
  GET order.example/i/longer [port web] → first
  GET order.example/j [port web] → ingress
  # A Frontend has its own backends where no rule matches, and no rule of another one.
  GET any.example/ [port other] → default
  GET order.example/p [port other] → default
  # An ALB2 serves Ingresses of its class or of none, in namespaces of its projects.
  GET classed.example/ [port web] → ingress
  GET foreign.example/ [port web] → 404
  GET bank.example/ [port web] → 404
`,
);
