import fc from "fast-check";
import { policyDelta } from "../../src/output/policy-delta.js";
import { policyShards } from "../../src/output/policy-shards.js";

const MAPS = [
  "servers",
  "hosts",
  "routes",
  "auths",
  "upstreams",
  "backendTls",
  "certificates",
] as const;

/** Few keys and values, so that two policies share, change and drop some. */
const entries = fc.dictionary(
  fc.oneof(fc.constantFrom("a", "b", "a|b", "__proto__"), fc.stringMatching(/^[^\t\r\n\0]{1,6}$/)),
  fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom<unknown>({ x: "\t\n" }, [])),
  { maxKeys: 5 },
);

const policy = fc
  .record({
    version: fc.stringMatching(/^[0-9a-f]{4}$/),
    settings: fc.record({ authTimeout: fc.nat(3) }),
    ...Object.fromEntries(MAPS.map((map) => [map, entries])),
  })
  .map((document) => policyShards(JSON.stringify({ format: 1, ...document })));

/** What a data plane does that follows docs/policy-format.md to the letter. */
function applied(served: ReadonlyMap<string, string>, body: string): Map<string, string> {
  const [first = "", ...lines] = body.split("\n");
  const [, , from] = first.split(" ");
  const shards = new Map(from === "-" ? [] : served);
  expect(lines.pop()).toBe("");
  for (const line of lines) {
    const [op, map = "", key = "", json, ...more] = line.split("\t");
    expect(more).toEqual([]);
    if (op === "=" && json !== undefined) shards.set(`${map}\t${key}`, json);
    else if (op === "-" && json === undefined) shards.delete(`${map}\t${key}`);
    else throw new Error(`no change: ${line}`);
  }
  return shards;
}

const sorted = (shards: ReadonlyMap<string, string>) => [...shards].sort();

test("a delta makes the one policy of the other", () => {
  fc.assert(
    fc.property(policy, policy, (from, to) => {
      const body = policyDelta(from, to) ?? "";
      expect(sorted(applied(from.shards, body))).toEqual(sorted(to.shards));
      expect(body).toMatch(new RegExp(`^albc-policy 1 ${from.version} ${to.version}\n`));
    }),
  );
});

test("everything makes it of anything", () => {
  fc.assert(
    fc.property(policy, policy, (served, to) => {
      const body = policyDelta(undefined, to) ?? "";
      expect(sorted(applied(served.shards, body))).toEqual(sorted(to.shards));
    }),
  );
});

test("nothing is sent between equal policies", () => {
  fc.assert(
    fc.property(policy, (same) => {
      expect(policyDelta(same, same)?.split("\n")).toHaveLength(2);
    }),
  );
});
