import { alb2, frontend, rule, service, translated } from "../../support/translated.js";
import { MOST_BINDING_TEXT } from "../../../src/translate/size-limits.js";

const WEB = service("web");

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

describe("a Rule", () => {
  const hosts = numbers(1024).map((i) => `h${String(i)}.example`);
  const at = (text: number, url: number, count = hosts.length) => {
    const dslx = [
      { type: "HOST", values: [["IN", ...hosts.slice(0, count)]] },
      { type: "URL", values: [["STARTS_WITH", `/${"u".repeat(url - 1)}`]] },
      { type: "HEADER", key: "x", values: [["EQ", "v".repeat(text)]] },
    ];
    const spec = {
      dslx,
      serviceGroup: { services: [{ name: "web", namespace: "default", port: 80, weight: 1 }] },
    };
    return translated(
      alb2("alb") +
        frontend("ft", "alb", { port: 8080, protocol: "http" }) +
        rule("big", spec) +
        WEB,
    );
  };

  it("with conditions on each of many hosts may have so much of them and no more", () => {
    const frame = JSON.stringify([{ of: "header", key: "x", any: [["eq", ""]] }]).length;
    const path = JSON.stringify(["start", "/"]).length;
    const most = MOST_BINDING_TEXT / hosts.length - frame - path;
    expect(at(most, 1).reports).not.toContain("OBJECT_TOO_LARGE Rule cpaas-system/big spec.dslx");
    const result = at(most + 1, 1);
    expect(result.reports).toContain("OBJECT_TOO_LARGE Rule cpaas-system/big spec.dslx");
    expect(result.route("rule/cpaas-system/big").refuse?.[0]).toBe(500);
    const bindings = result.bindings("rule/cpaas-system/big");
    expect(bindings).toHaveLength(hosts.length);
    expect(bindings.every(({ when, path }) => when.length === 0 && path?.[0] === "start")).toBe(
      true,
    );
  });

  it("of one host has as many as it likes", () => {
    const reports = at(MOST_BINDING_TEXT, 1, 1).reports;
    expect(reports).not.toContain("OBJECT_TOO_LARGE Rule cpaas-system/big spec.dslx");
  });

  it("whose path alone is too long is closed for its hosts altogether", () => {
    const bindings = at(1, 5000).bindings("rule/cpaas-system/big");
    expect(bindings).toHaveLength(hosts.length);
    expect(bindings.every(({ path }) => path === undefined)).toBe(true);
  });
});
