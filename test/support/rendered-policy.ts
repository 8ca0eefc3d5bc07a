import type { DataPlaneConfig } from "../../src/model/config.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { Renderer } from "../../src/render.js";
import { RenderedPolicy, SETTINGS_KEY, contentsOf } from "../../src/render/rendered-file.js";
import { canonicalJson } from "../../src/render/policy/canonical-json.js";
import { ShardMap } from "../../src/render/shard-map.js";

/** What is in the policy.json of a model. */
export function policyDocument(config: DataPlaneConfig): unknown {
  const files = new Renderer()
    .render(config, DEFAULT_OPTIONS)
    .filter(({ path }) => path === "policy.json");
  return JSON.parse(files.map(contentsOf).join(""));
}

/** A policy of these maps, whatever is in them; their keys must be what JSON can say. */
export function policyFrom(
  maps: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  settings: unknown = {},
): RenderedPolicy {
  return new RenderedPolicy(
    1,
    new Map([
      ["settings", ShardMap.of([[SETTINGS_KEY, canonicalJson(settings)]])],
      ...Object.entries(maps).map(([name, entries]) => [name, shardMap(entries)] as const),
    ]),
  );
}

/** The policy that a text of policy.json holds. */
export function policyFromText(text: string): RenderedPolicy {
  const {
    format: _format,
    version: _version,
    settings,
    ...maps
  } = JSON.parse(text) as Record<string, Record<string, unknown>>;
  return policyFrom(maps, settings);
}

/** JSON by `<map><TAB><key>`. */
export function shardsOf(policy: RenderedPolicy): ReadonlyMap<string, string> {
  return new Map(
    [...policy.maps].flatMap(([name, { shards }]) =>
      [...shards].map(([key, json]) => [`${name}\t${key}`, json] as const),
    ),
  );
}

function shardMap(entries: Readonly<Record<string, unknown>>): ShardMap {
  return ShardMap.of(
    Object.entries(entries).map(([key, value]) => [key, canonicalJson(value)] as const),
  );
}
