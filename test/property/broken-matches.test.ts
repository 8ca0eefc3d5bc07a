import type { DslxTerm } from "../../src/api/alb.js";
import { compile } from "../../src/compile.js";
import { explain } from "../../src/explain/explain.js";
import { parseRequest } from "../../src/explain/request.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import type { PolicyDocument } from "../../src/model/policy.js";
import { fc, runs } from "../support/fast-check.js";
import { policyDocument } from "../support/rendered-policy.js";
import { alb2, frontend, rule, service } from "../support/translated.js";

const GROUP = { services: [{ name: "web", namespace: "default", port: 80 }] };
const PATHS = ["/", "/sec", "/sec/x", "/x", "/public", "/public/long/path"];
const HOSTS = ["a.example", "b.example"];

const pathRow = fc.oneof(
  fc.tuple(fc.constantFrom("STARTS_WITH", "EQ"), fc.constantFrom(...PATHS)),
  fc.tuple(fc.constant("REGEX"), fc.constantFrom("^/sec", "/x$", "^/(sec|x)")),
);
const urlTerm = fc
  .array(pathRow, { minLength: 1, maxLength: 3 })
  .map((values): DslxTerm => ({ type: "URL", values }));
const hostTerm = fc
  .subarray(HOSTS, { minLength: 1 })
  .map((hosts): DslxTerm => ({ type: "HOST", values: hosts.map((host) => ["EQ", host]) }));
const methodTerm = fc.constant<DslxTerm>({ type: "METHOD", values: [["EQ", "GET"]] });

const match = fc
  .tuple(urlTerm, fc.option(hostTerm), fc.option(methodTerm))
  .map((terms) => terms.flatMap((term) => term ?? []));

interface Slip {
  readonly which: number;
  readonly at: number;
  readonly noSlash: boolean;
}

const slip: fc.Arbitrary<Slip> = fc.record({
  which: fc.nat(),
  at: fc.nat(),
  noSlash: fc.boolean(),
});

/** One letter less somewhere, a path without its slash, or a pattern that can't be compiled. */
function broken(dslx: readonly DslxTerm[], { which, at, noSlash }: Slip): readonly DslxTerm[] {
  const index = which % dslx.length;
  return dslx.map((term, position) => {
    if (position !== index) return term;
    const row = at % (term.values.length + 1);
    if (row === term.values.length) return { ...term, type: term.type.slice(1) };
    const values = term.values.map(([operator = "", value = ""], each) => {
      if (each !== row) return [operator, value];
      if (noSlash && value.startsWith("/")) return [operator, value.slice(1)];
      return operator === "REGEX" ? [operator, `${value}(`] : [operator.slice(0, -1), value];
    });
    return { ...term, values };
  });
}

function answers(guarded: readonly DslxTerm[], wider: readonly DslxTerm[]): readonly string[] {
  const yaml =
    alb2("alb", { ingressHTTPPort: 0, ingressHTTPSPort: 0 }) +
    frontend("ft", "alb", { port: 80, protocol: "http" }) +
    rule("guarded", {
      dslx: guarded,
      serviceGroup: GROUP,
      config: { auth: { basic: { auth_type: "basic", secret: "default/users" } } },
    }) +
    rule("wider", { dslx: wider, serviceGroup: GROUP }) +
    service("web");
  const { config } = compile(resourcesFromYaml(yaml).resources, DEFAULT_OPTIONS);
  const document = policyDocument(config) as PolicyDocument;
  return HOSTS.flatMap((host) =>
    PATHS.map((path) => {
      const request = parseRequest({
        method: "GET",
        url: `http://${host}${path}`,
        headers: [],
        client: "192.0.2.1",
      });
      if (!request.ok) throw new Error(request.problem);
      return explain(document, request.value).route?.id ?? "none";
    }),
  );
}

describe("a Rule of which one row, operator, pattern, path or type is misspelt", () => {
  it("keeps every request from the rules that did not serve it before", () => {
    fc.assert(
      fc.property(match, match, slip, (guarded, wider, wrong) => {
        const before = answers(guarded, wider);
        const after = answers(broken(guarded, wrong), wider);
        for (const [index, route] of before.entries()) {
          if (route === "rule/cpaas-system/guarded") expect(after[index]).toBe(route);
        }
      }),
      runs(100),
    );
  });
});
