import { canonicalJson } from "../../../../src/render/policy/canonical-json.js";
import type { Upstream } from "../../../../src/model/upstream.js";
import {
  ListShards,
  type buildPolicy,
  renderedPolicy,
  routingShards,
  upstreamText,
} from "../../../../src/render/policy/build-policy.js";
import { ShardMap } from "../../../../src/render/shard-map.js";
import { HostShards } from "../../../../src/render/policy/host-shards.js";
import type { RenderedPolicy } from "../../../../src/render/rendered-file.js";
import { type RouteBinding, onePlace } from "../../../../src/model/route.js";

interface Parts {
  readonly frame: ReturnType<typeof buildPolicy>;
  readonly bindings: readonly RouteBinding[];
}

const BINDING = {
  listener: "l",
  at: onePlace("l", { kind: "exact", host: "b" }),
  path: undefined,
  when: [],
} as const;
const POLICY: Parts = {
  frame: {
    settings: { authTlsVerify: true, authTimeout: 5000 },
    servers: {},
    auths: {},
    certificates: {},
  },
  bindings: [
    { ...BINDING, route: "s", order: "2" },
    { ...BINDING, route: "r", order: "1" },
    { ...BINDING, route: "r", order: "1", at: onePlace("l", { kind: "exact", host: "a" }) },
  ],
};
const UPSTREAMS: readonly Upstream[] = [
  { id: "10", endpoints: [["10.0.0.1", 80]] },
  { id: "9", endpoints: [] },
];

function rendered({ frame, bindings }: Parts, upstreams = UPSTREAMS): RenderedPolicy {
  const { hosts, matches } = new HostShards().render(bindings);
  const parts = { hosts, matches, routes: ShardMap.EMPTY };
  return renderedPolicy(
    1,
    routingShards(frame, parts),
    new ListShards(upstreamText).map(upstreams),
  );
}

test("policy.json has a line for each shard and for each binding", () => {
  expect(
    rendered(POLICY)
      .reveal()
      .replace(/[0-9a-f]{32}/, "0"),
  ).toBe(`{
  "format": 1,
  "version": "0",
  "settings": {"authTimeout":5000,"authTlsVerify":true},
  "servers": {},
  "hosts": {
    "l|a": [
      {"order":"1","route":"r"}
    ],
    "l|b": [
      {"order":"1","route":"r"},
      {"order":"2","route":"s"}
    ]
  },
  "routes": {},
  "auths": {},
  "upstreams": {
    "10": {"endpoints":[["10.0.0.1",80]]},
    "9": {"endpoints":[]}
  },
  "certificates": {}
}
`);
});

test("and is that document as JSON, with its version", () => {
  const { version, ...rest } = JSON.parse(rendered(POLICY).reveal()) as Record<string, unknown>;
  expect(rest).toEqual({
    ...POLICY.frame,
    format: 1,
    hosts: {
      "l|a": [{ order: "1", route: "r" }],
      "l|b": [
        { order: "1", route: "r" },
        { order: "2", route: "s" },
      ],
    },
    routes: {},
    upstreams: { "10": { endpoints: [["10.0.0.1", 80]] }, "9": { endpoints: [] } },
  });
  expect(version).toMatch(/^[0-9a-f]{32}$/);
});

test("the version follows the contents alone", () => {
  const versionOf = (policy: Parts) => rendered(policy).version;
  const { frame, bindings } = POLICY;
  expect(versionOf({ frame: { ...frame }, bindings: [...bindings].reverse() })).toBe(
    versionOf(POLICY),
  );
  expect(versionOf({ ...POLICY, bindings: [] })).not.toBe(versionOf(POLICY));
  const settings = { ...frame.settings, authTimeout: 1 };
  expect(versionOf({ ...POLICY, frame: { ...frame, settings } })).not.toBe(versionOf(POLICY));
});

test("its size is that of the text", () => {
  const accented = {
    ...POLICY.frame,
    certificates: { "p443|\u00e9.example": "certificates/\u00e9.pem" },
  };
  for (const frame of [POLICY.frame, accented, { ...accented, backendTls: {} }]) {
    const policy = { ...POLICY, frame };
    const { size, version, ...rest } = rendered(policy);
    expect(size).toBe(Buffer.byteLength(rendered(policy).reveal()));
    expect(rendered(policy).reveal()).toContain(version);
    expect(rest.format).toBe(1);
  }
});

test("an upstream that stays keeps its text, and the map its own", () => {
  const shards = new ListShards(upstreamText);
  let looks = 0;
  const kept: Upstream = {
    id: "9",
    get endpoints() {
      looks += 1;
      return [];
    },
  };
  const upstreams: Upstream[] = [{ id: "10", endpoints: [["10.0.0.1", 80]] }, kept];
  const before = shards.map(upstreams);
  expect(shards.map(upstreams)).toBe(before);
  expect([...shards.map([{ id: "10", endpoints: [] }, kept]).shards]).toEqual([
    ["10", '{"endpoints":[]}'],
    ["9", '{"endpoints":[]}'],
  ]);
  expect(looks).toBe(1);
});

describe("canonical JSON", () => {
  test("sorts keys in byte order at every depth", () => {
    expect(canonicalJson({ b: { é: 1, Z: 2, a: 3 }, a: [{ y: 1, x: 2 }] })).toBe(
      '{"a":[{"x":2,"y":1}],"b":{"Z":2,"a":3,"é":1}}',
    );
  });

  test("leaves out what is undefined, and keeps null, false and empty text", () => {
    expect(canonicalJson({ a: undefined, b: null, c: false, d: "", e: [] })).toBe(
      '{"b":null,"c":false,"d":"","e":[]}',
    );
  });

  test("keeps a key that objects have by themselves", () => {
    expect(canonicalJson(Object.fromEntries([["__proto__", 1]]))).toBe('{"__proto__":1}');
  });

  test("replaces half a surrogate pair, which Lua could not decode", () => {
    expect(canonicalJson({ "\ud800": "a\udc00b😀" })).toBe('{"\ufffd":"a\ufffdb😀"}');
  });
});
