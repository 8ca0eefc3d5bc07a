import { createHash } from "node:crypto";
import { readPolicyFile } from "../../../src/explain/read-policy.js";
import { policyDelta } from "../../../src/output/data-plane.js";
import { policyFrom } from "../../support/rendered-policy.js";
import { POLICY_FORMAT } from "../../../src/model/policy.js";
import { RenderedPolicy } from "../../../src/render/rendered-file.js";

const policies = [["a"], ["a", "b"], ["b"]].map((ids) => {
  const { maps } = policyFrom({
    servers: {},
    routes: Object.fromEntries(ids.map((id) => [id, {}])),
  });
  return new RenderedPolicy(POLICY_FORMAT, maps);
});

function record(from: number, to: number): string {
  const [before, now] = [policies[from], policies[to]];
  const body = before && now ? (policyDelta(before, now) ?? "") : "";
  return `${body}albc-end ${createHash("md5").update(body).digest("hex")}\n`;
}

const document = policies[0]?.reveal() ?? "";

function routesIn(text: string): unknown {
  const read = readPolicyFile(text);
  return read.ok ? [Object.keys(read.value.routes), read.value.version] : read.problem;
}

test("a document alone, and with the changes that follow it", () => {
  expect(routesIn(document)).toEqual([["a"], policies[0]?.version]);
  expect(routesIn(document + record(0, 1))).toEqual([["a", "b"], policies[1]?.version]);
  expect(routesIn(document + record(0, 1) + record(1, 2))).toEqual([["b"], policies[2]?.version]);
});

test("a change that was written in part is ignored", () => {
  expect(routesIn(document + record(0, 1).slice(0, -2))).toEqual([["a"], policies[0]?.version]);
});

test("what can't be used is said", () => {
  expect(routesIn("[]")).toBe("it is no policy.json");
  expect(routesIn("{}")).toBe("it is no policy.json");
  expect(routesIn('{ "servers": {}, "format": 0 }')).toMatch(
    "its format is 0, but this albc reads",
  );
  expect(routesIn(document + record(1, 2))).toMatch("does not follow it");
});
