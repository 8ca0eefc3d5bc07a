import { readdir } from "node:fs/promises";
import { Applier } from "../../../src/output/apply.js";
import { writeFiles } from "../../../src/output/files.js";
import {
  type RenderedFile,
  RenderedPolicy,
  mustFit,
  policyShares,
} from "../../../src/render/rendered-file.js";
import { PolicyTooLarge } from "../../../src/support/errors.js";
import { ShardMap } from "../../../src/render/shard-map.js";
import { policyFrom } from "../../support/rendered-policy.js";
import { useTempFolder } from "../../support/temp-folder.js";

const MIB = 1024 * 1024;
const LONG = JSON.stringify("a".repeat(MIB - 2));

function binding(route: string, size: number): string {
  const json = JSON.stringify({ order: "0", route, when: "" });
  return json.replace(/""}$/, `"${"x".repeat(size - json.length)}"}`);
}

/** As they stand in the file: each binding on a line. */
function host(...bindings: readonly string[]): string {
  return `[\n      ${bindings.join(",\n      ")}\n    ]`;
}

/** A policy whose text would not fit: shards that share one text. */
const LARGE = new RenderedPolicy(
  1,
  new Map([
    [
      "hosts",
      ShardMap.of([
        ["l|a", host(binding("httproute/a/big/0", MIB), binding("ingress/c/wide/0-0", 2 * MIB))],
        ["l|b", host(binding("ingress/c/wide/0-1@443", 4 * MIB))],
      ]),
    ],
    [
      "routes",
      ShardMap.of([
        ...numbered(180, (i) => `httproute/a/big/${String(i)}`),
        ...numbered(20, (i) => `httproute/a/small-${String(i)}/0`),
        ["ingress/c/wide/0-0", "{}"],
        ["rule/d/one", "{}"],
        ["rule/d/one@8080", "{}"],
      ]),
    ],
    ["auths", ShardMap.of(numbered(7, (i) => `authpolicy/b/strict/${String(i)}`))],
    ["upstreams", ShardMap.of(numbered(50, (i) => `b/web/${String(i)}`))],
  ]),
);

function numbered(count: number, key: (i: number) => string): (readonly [string, string])[] {
  return Array.from({ length: count }, (_, i) => [key(i), LONG]);
}

const FILES: readonly RenderedFile[] = [{ path: "policy.json", contents: LARGE, mode: 0o600 }];

const reloader = {
  test: () => Promise.reject(new Error("tested")),
  reload: () => Promise.reject(new Error("reloaded")),
};

test("what is too large says how large it is, and whose most of it is", () => {
  expect(() => {
    mustFit(LARGE);
  }).toThrow(
    "policy.json would have 265 MiB, at most 256 MiB can be served; most of it is of the namespaces a (202 MiB of 21 objects), b (57 MiB of 2 objects), c (7 MiB of 1 objects); the largest objects are httproute/a/big (182 MiB), service/b/web (50 MiB), authpolicy/b/strict (7 MiB)",
  );
  mustFit(policyFrom({ hosts: {} }));
});

const temp = useTempFolder();

test("a route of one port more is of the same object", () => {
  expect(policyShares(LARGE)).toContainEqual({ name: "rule/d/one", size: 4 });
});

test("nothing of it is tested, written or sent", async () => {
  const folder = temp();
  const applier = new Applier({ folder, reloader });
  await expect(applier.prepare(FILES)).rejects.toThrow(PolicyTooLarge);
  await expect(applier.apply(FILES)).rejects.toThrow(PolicyTooLarge);
  await expect(writeFiles(folder, FILES)).rejects.toThrow(PolicyTooLarge);
  expect(await readdir(folder)).toEqual([]);
});
