import { readdir } from "node:fs/promises";
import { Applier } from "../../../src/output/apply.js";
import { writeFiles } from "../../../src/output/file-writer.js";
import { mustFit } from "../../../src/output/policy-size.js";
import { PolicyTooLarge } from "../../../src/support/policy-too-large.js";
import type { RenderedFile } from "../../../src/render/rendered-file.js";
import { RenderedPolicy } from "../../../src/render/rendered-policy.js";
import { ShardMap } from "../../../src/render/shard-map.js";
import { policyFrom } from "../../support/rendered-policy.js";
import { useTempFolder } from "../../support/temp-folder.js";

const BINDINGS = Array.from({ length: 3 }, () => ({ order: "0", route: "httproute/a/big/0" }));
const HOST = JSON.stringify([...BINDINGS, { order: "1", route: "httproute/a/small/0" }]);
const LONG = JSON.stringify("a".repeat(1024 * 1024));

/** A policy whose text would not fit: shards that share one text. */
const LARGE = new RenderedPolicy(
  1,
  new Map([
    ["hosts", new ShardMap([["l|", HOST]])],
    ["routes", new ShardMap(Array.from({ length: 260 }, (_, i) => [String(i), LONG] as const))],
  ]),
);
const FILES: readonly RenderedFile[] = [{ path: "policy.json", contents: LARGE, mode: 0o600 }];

const reloader = {
  test: () => Promise.reject(new Error("tested")),
  reload: () => Promise.reject(new Error("reloaded")),
};

test("what is too large says how large it is, and whose most of it is", () => {
  expect(() => {
    mustFit(LARGE);
  }).toThrow(
    "policy.json would have 261 MiB, at most 256 MiB can be served; most of it is of httproute/a/big (3 bindings), httproute/a/small (1 bindings)",
  );
  mustFit(policyFrom({ hosts: {} }));
});

const temp = useTempFolder();

test("nothing of it is tested, written or sent", async () => {
  const folder = temp();
  const applier = new Applier({ folder, reloader });
  await expect(applier.prepare(FILES)).rejects.toThrow(PolicyTooLarge);
  await expect(applier.apply(FILES)).rejects.toThrow(PolicyTooLarge);
  await expect(writeFiles(folder, FILES)).rejects.toThrow(PolicyTooLarge);
  expect(await readdir(folder)).toEqual([]);
});
