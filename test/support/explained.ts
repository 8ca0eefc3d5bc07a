/** Policies and requests for the unit tests of explain. */
import { type Explanation, explain } from "../../src/explain/explain.js";
import { parseRequest } from "../../src/explain/request.js";
import type { PolicyBinding, PolicyDocument, PolicyRoute } from "../../src/model/policy.js";

export const POLICY: PolicyDocument = {
  format: 5,
  version: "v",
  settings: { authTimeout: 5000, authTlsVerify: true },
  servers: {
    p80: { port: 80, tls: false, listeners: [["", "http"]] },
    p443: {
      port: 443,
      tls: true,
      listeners: [
        ["a.example", "exact"],
        ["*.example", "one"],
        ["**.example", "many"],
      ],
    },
  },
  hosts: {},
  routes: {},
  auths: {},
  upstreams: {
    "default/web/80": { endpoints: [["10.0.0.1", 8080]] },
    "default/none/80": { endpoints: [] },
  },
  certificates: { "p443|": "certificates/default.pem" },
};

export const WEB = { upstream: "default/web/80", weight: 1, protocol: "http" } as const;

/** A policy with the bindings by `<listener>|<host key>`; a route forwards everything unless `routes` changes it. */
export function policy(
  bindings: Readonly<Record<string, readonly PolicyBinding[]>>,
  routes: Readonly<Record<string, Partial<PolicyRoute>>> = {},
  auths: PolicyDocument["auths"] = {},
): PolicyDocument {
  const names = Object.values(bindings).flatMap((list) => list.map(({ route }) => route));
  return {
    ...POLICY,
    hosts: bindings,
    auths,
    routes: Object.fromEntries(
      names.map((name) => [
        name,
        {
          source: ["Ingress", "default", "web", `rules ${name}`],
          backends: [WEB],
          ...routes[name],
        },
      ]),
    ),
  };
}

export function ask(
  document: PolicyDocument,
  url: string,
  ...headers: readonly string[]
): Explanation {
  return askAs(document, { method: "GET", url, headers, client: "192.0.2.1" });
}

export function askAs(
  document: PolicyDocument,
  written: Parameters<typeof parseRequest>[0],
): Explanation {
  const request = parseRequest(written);
  if (!request.ok) throw new Error(request.problem);
  return explain(document, request.value);
}

/** The chosen route. */
export function routeOf(document: PolicyDocument, url: string, ...headers: readonly string[]) {
  return ask(document, url, ...headers).route?.id;
}

export const ALB = ["ALB2", "cpaas-system", "alb", "spec.config.auth"] as const;
export const BASIC = { source: ALB, basic: { realm: "r", file: "credentials/x.json" } };
