/** What the gateway itself sends to backends, or keeps from them, no setting can change: albc says so. */
import { compile } from "../../../../src/compile.js";
import { resourcesFromYaml } from "../../../../src/input/load.js";
import type { HeaderChanges } from "../../../../src/model/filters.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { headersThatAre } from "../../../../src/model/special-headers.js";
import { gateway, httpRoute, WEB } from "../../../support/gateway-route-objects.js";
import {
  type Translated,
  alb2,
  frontend,
  ingress,
  own,
  rule,
  rules,
  service,
  translated,
} from "../../../support/translated.js";

function compiled(modifier: object) {
  const filters = [{ type: "RequestHeaderModifier", requestHeaderModifier: modifier }];
  const { resources } = resourcesFromYaml(
    gateway() + httpRoute("r", [{ filters, backendRefs: WEB }]),
  );
  return compile(resources, DEFAULT_OPTIONS);
}

/** RFC 9110, 7.6.1, and those of gateways among themselves. */
const OF_CONNECTION = [
  ...["Connection", "Content-Length", "Keep-Alive", "Proxy-Connection", "TE", "Trailer"],
  ...["Transfer-Encoding", "Upgrade", "X-Albc-Endpoint", "X-Albc-Turns", "X-Albc-Question"],
];
/** The setting's value takes part in what is sent. */
const CHANGEABLE = [
  ...["Host", "X-Forwarded-For", "X-Forwarded-Prefix", "X-Request-ID", "X-A"],
  ...["Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-MD5"],
  ...["Set-Cookie", "X-ALB-ERR-REASON", "X-Accel-Method"],
  ...["Content-Digest", "Content-Disposition", "Content-Range", "Digest", "Repr-Digest"],
];
/** Backends get them in any case. */
const TOLD = [
  ...["Host", "X-Real-IP", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto"],
  ...["X-Scheme", "X-Original-URI"],
];
const table = headersThatAre().map((name) => name.replace("*", "Method"));
const names = [
  ...new Set([...table, ...table.map((name) => name.replaceAll("-", "_")), "X-A"]),
].sort();

type Action = "set" | "add" | "remove";

function canBe(action: Action, name: string): boolean {
  if (OF_CONNECTION.includes(name.replaceAll("_", "-"))) return false;
  if (action === "remove") return !TOLD.includes(name);
  return CHANGEABLE.includes(name) && !(name === "Host" && action === "add");
}

function refused(action: Action, name: string): boolean {
  const modifier = { [action]: action === "remove" ? [name] : [{ name, value: "mine" }] };
  return compiled(modifier).diagnostics.some(({ code }) => code === "ROUTE_VALUE_UNSUPPORTED");
}

it.each(names)("an HTTPRoute's filter and %s", (name) => {
  for (const action of ["set", "add", "remove"] as const) {
    expect({ action, isRefused: refused(action, name) }).toEqual({
      action,
      isRefused: !canBe(action, name),
    });
  }
});

const TEXT = JSON.stringify({
  headers: Object.fromEntries(names.map((name) => [name, "mine"])),
  headers_add: Object.fromEntries(names.map((name) => [name, ["mine"]])),
  headers_remove: names,
});

function ofIngress(): Translated {
  const annotations = own({ "rewrite-request": TEXT });
  const spec = rules({ "a.example": ["/"] });
  return translated(ingress("web", { annotations, spec }) + service("web"));
}

function ofRule(): Translated {
  const dslx = [{ type: "URL", values: [["STARTS_WITH", "/"]] }];
  const serviceGroup = { services: [{ name: "web", namespace: "default", port: 80, weight: 1 }] };
  const annotations = { "alb.rule.cpaas.io/rewrite-request": TEXT };
  const settings = { projects: ["ALL_ALL"], ingressHTTPPort: 0, ingressHTTPSPort: 0 };
  return translated(
    service("web") +
      alb2("alb", settings) +
      frontend("ft", "alb", { port: 80, protocol: "http" }) +
      rule("r", { dslx, serviceGroup }, { annotations }),
  );
}

it.each([
  ["an Ingress", ofIngress, "ingress/default/web/0-0", "ANNOTATION_INVALID"],
  ["a Rule", ofRule, "rule/cpaas-system/r", "SETTING_IGNORED"],
] as const)("the annotation of %s has the filter's rules", (_of, make, id, code) => {
  const { route, messages } = make();
  const changes: HeaderChanges | undefined = route(id).requestHeaders;
  const possible = (action: Action): readonly string[] =>
    names.filter((name) => canBe(action, name));
  expect(changes?.set?.map(([name]) => name)).toEqual(possible("set"));
  expect(changes?.add?.map(([name]) => name)).toEqual(possible("add"));
  expect(changes?.remove).toEqual([
    ...new Set(possible("remove").map((name) => name.toLowerCase())),
  ]);
  expect(messages(code)).toEqual([expect.stringContaining("Connection belongs to the connection")]);
});
