import type { Explanation } from "../../../src/explain/explain.js";
import type { PolicyDocument, PolicyRoute } from "../../../src/model/policy.js";
import { ALB, BASIC, WEB, ask, policy } from "../../support/explained.js";

/** What happens on a route with these fields. */
function outcome(
  route: Partial<PolicyRoute>,
  auths: PolicyDocument["auths"] = {},
  url = "http://a/",
): Explanation {
  return ask(policy({ "http|": [{ order: "1", route: "r" }] }, { r: route }, auths), url);
}

describe("what a route does", () => {
  it("forwards, with the share of each backend", () => {
    const { answer, route } = outcome({
      backends: [WEB, { ...WEB, weight: 3 }, { ...WEB, weight: 0 }],
    });
    expect(answer).toEqual({ kind: "forwarded" });
    expect(route?.backends.map(({ share, endpoints }) => [share, endpoints])).toEqual([
      [0.25, 1],
      [0.75, 1],
      [0, 1],
    ]);
  });

  it("encodes texts that are not ASCII as nginx does, by the bytes of UTF-8", () => {
    const url = ["https://n.example/ü?x=ß"];
    expect(outcome({ redirect: { status: 301, url } }).answer).toEqual({
      ...{
        kind: "redirected",
        redirect: { status: 301, url: ["https://n.example/%C3%BC?x=%C3%9F"] },
      },
    });
    const rewritten = (rewrite: NonNullable<PolicyRoute["rewrite"]>) =>
      outcome({ rewrite, backends: [WEB] }, {}, "http://a/é/x").route?.rewritten;
    expect(rewritten(["full", "/ü"])).toBe("/%C3%BC");
    expect(rewritten(["prefix", "/é", "/ü"])).toBe("/%C3%BC/x");
    expect(rewritten(["regex", "^/é", "", ["/ü"], false])).toBe("/%C3%BC/x");
  });

  it("redirects, unless the client came by that scheme", () => {
    const redirect = { status: 308, scheme: "https", unlessScheme: "https" } as const;
    expect(outcome({ redirect }).answer).toEqual({ kind: "redirected", redirect });
    const secure = policy({ "exact|a.example": [{ order: "1", route: "r" }] }, { r: { redirect } });
    expect(ask(secure, "https://a.example/").answer).toEqual({ kind: "forwarded" });
  });

  it("asks for the auth that it has, inherited or its own", () => {
    const { answer, route } = outcome({ auth: ["alb2"] }, { alb2: BASIC });
    expect(answer).toEqual({ kind: "forwarded" });
    expect(route?.authChecked).toBe(true);
    expect(route?.auth).toEqual([{ id: "alb2", source: ALB, inherited: true, realm: "r" }]);
    const own = outcome({ auth: ["x"] }, { x: { ...BASIC, source: "metadata" } }).route;
    expect(own?.auth[0]).toMatchObject({ inherited: false });
    expect(own?.auth[0]?.source).toEqual([...(own?.source.slice(0, 3) ?? []), "metadata"]);
  });

  it("is closed by broken auth", () => {
    const broken = { source: ALB, invalid: "secret a/b not found" };
    const reason = "AuthFail : invalid cfg secret a/b not found";
    const closed = { kind: "refused", status: 503, reason };
    expect(outcome({ auth: ["alb2"] }, { alb2: broken }).answer).toEqual(closed);
    const any = { auth: ["alb2"], satisfy: "any", allow: ["192.0.2.1"] } as const;
    expect(outcome(any, { alb2: broken }).answer).toEqual(closed);
    expect(outcome({ auth: ["gone"] }).answer).toMatchObject({ status: 503 });
  });

  it("takes source ranges and auth as alternatives when one is enough", () => {
    const inside = outcome(
      { auth: ["alb2"], satisfy: "any", allow: ["192.0.2.1"] },
      { alb2: BASIC },
    );
    expect([inside.answer.kind, inside.route?.authChecked]).toEqual(["forwarded", false]);
    const outside = outcome(
      { auth: ["alb2"], satisfy: "any", allow: ["10.0.0.1"] },
      { alb2: BASIC },
    );
    expect([outside.answer.kind, outside.route?.authChecked]).toEqual(["forwarded", true]);
  });

  it("answers redirects and refusals before auth", () => {
    const redirect = { status: 301, url: ["https://b/"] } as const;
    expect(outcome({ auth: ["alb2"], redirect }, { alb2: BASIC }).route?.authChecked).toBe(false);
  });
});
