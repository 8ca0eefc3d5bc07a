import { fc } from "../support/fast-check.js";
import { policyDelta } from "../../src/output/data-plane.js";
import { policyFrom, shardsOf } from "../support/rendered-policy.js";

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
    settings: fc.record({ authTimeout: fc.nat(3) }),
    maps: fc.record(Object.fromEntries(MAPS.map((map) => [map, entries]))),
  })
  .map(({ maps, settings }) => policyFrom(maps, settings));

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
      expect(sorted(applied(shardsOf(from), body))).toEqual(sorted(shardsOf(to)));
      expect(body).toMatch(new RegExp(`^albc-policy 1 ${from.version} ${to.version}\n`));
    }),
  );
});

test("everything makes it of anything", () => {
  fc.assert(
    fc.property(policy, policy, (served, to) => {
      const body = policyDelta(undefined, to) ?? "";
      expect(sorted(applied(shardsOf(served), body))).toEqual(sorted(shardsOf(to)));
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
