import {
  piecesOf,
  contentsOf,
  RenderedPolicy,
  SETTINGS_KEY,
} from "../../../src/render/rendered-file.js";
import { ShardMap } from "../../../src/render/shard-map.js";
import { SecretText } from "../../../src/support/secret-text.js";

function policy(routes: Readonly<Record<string, string>>): RenderedPolicy {
  const maps = [
    ["settings", ShardMap.of([[SETTINGS_KEY, '{"a":1}']])],
    ["routes", ShardMap.of(Object.entries(routes))],
  ] as const;
  return new RenderedPolicy(5, new Map(maps));
}

const EMPTY = new RenderedPolicy(5, new Map());

test("the text is JSON of the maps, with its own size and version", () => {
  const rendered = policy({ r: '{"é":1}' });
  const text = rendered.reveal();
  expect(JSON.parse(text)).toEqual({
    format: 5,
    version: rendered.version,
    settings: { a: 1 },
    routes: { r: { é: 1 } },
  });
  expect(rendered.size).toBe(Buffer.byteLength(text));
  expect([...rendered.chunks()].join("")).toBe(text);
});

test("equal shards have one version, others another", () => {
  expect(policy({ r: "1", s: "2" }).version).toBe(policy({ s: "2", r: "1" }).version);
  expect(policy({ r: "1" }).version).not.toBe(policy({ r: "2" }).version);
});

test("changes are changed and removed shards, or all shards without a previous policy", () => {
  const before = policy({ kept: "1", changed: "1", gone: "1" });
  const now = policy({ kept: "1", changed: "2", new: "1" });
  expect([...now.changesSince(before)].sort()).toEqual([
    ["routes", "changed", "2"],
    ["routes", "gone", undefined],
    ["routes", "new", "1"],
  ]);
  expect(now.changesSince()).toHaveLength(4);
  expect(EMPTY.changesSince(before)).toHaveLength(4);
});

test("contents are text, a secret or a policy", () => {
  const rendered = policy({});
  for (const [contents, text] of [
    ["plain", "plain"],
    [new SecretText("secret"), "secret"],
    [rendered, rendered.reveal()],
  ] as const) {
    const file = { path: "a", contents, mode: 0o600 } as const;
    expect(contentsOf(file)).toBe(text);
    expect([...piecesOf(file)].join("")).toBe(text);
  }
});
