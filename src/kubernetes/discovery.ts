/** Which of our kinds the API server serves, and in which version; CRDs come and go while we run. */
import type { KindName } from "../api/kinds.js";
import { KIND_NAMES } from "../api/kinds.js";
import type { KindTable } from "../input/kind-table.js";
import { getOrInsert } from "../support/group-by.js";
import type { ApiClient } from "./api-client.js";
import { ApiError } from "./api-client.js";

import type { Resource } from "./resource.js";
import { basePath, pluralOf } from "./resource.js";

/** The kinds that are served, each in the best version that we read. Throws ApiError when the API server can't be reached. */
export async function servedResources(
  client: ApiClient,
  table: KindTable,
): Promise<readonly Resource[]> {
  const known = new Map<string, Promise<ReadonlySet<string>>>();
  const plurals = (base: string): Promise<ReadonlySet<string>> =>
    getOrInsert(known, base, () => resourceNames(client, base));
  const found = await Promise.all(KIND_NAMES.map((kind) => find(kind, table, plurals)));
  return found.filter((resource) => resource !== undefined);
}

async function find(
  kind: KindName,
  table: KindTable,
  plurals: (base: string) => Promise<ReadonlySet<string>>,
): Promise<Resource | undefined> {
  const { group, versions, namespaced } = table[kind];
  for (const version of versions) {
    const names = await plurals(basePath({ group, version }));
    if (names.has(pluralOf(kind))) return { kind, group, version, namespaced };
  }
  return undefined;
}

async function resourceNames(client: ApiClient, base: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(namesIn(await client.call({ path: base })));
  } catch (error: unknown) {
    if (error instanceof ApiError && error.status === 404) return new Set();
    throw error;
  }
}

/** Names of an APIResourceList. */
function namesIn(list: unknown): readonly string[] {
  if (typeof list !== "object" || list === null || !("resources" in list)) return [];
  const { resources } = list;
  if (!Array.isArray(resources)) return [];
  return resources.flatMap((entry: unknown) =>
    typeof entry === "object" && entry !== null && "name" in entry && typeof entry.name === "string"
      ? [entry.name]
      : [],
  );
}
