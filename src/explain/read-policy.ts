/** policy.json as albc writes it: a document, and the changes since it was written (docs/policy-format.md, "Shards"). */
import { createHash } from "node:crypto";
import { type PolicyDocument, POLICY_FORMAT } from "../model/policy.js";
import { getOrInsert } from "../support/collections.js";
import { isObject, parseObject } from "../support/json-object.js";
import { type Result, ok, problem } from "../support/result.js";

/** Reads a policy.json of a file. A change that was written in part is ignored, as nginx does. */
export function readPolicyFile(text: string): Result<PolicyDocument> {
  const end = /^\}\n?/m.exec(text);
  const length = end === null ? text.length : end.index + end[0].length;
  const document = parseObject(text.slice(0, length));
  if (document === undefined || !("servers" in document)) return problem("it is no policy.json");
  if (document["format"] !== POLICY_FORMAT) {
    const format = JSON.stringify(document["format"]);
    return problem(`its format is ${format}, but this albc reads ${String(POLICY_FORMAT)}`);
  }
  const maps = new Map<string, unknown>(Object.entries(document));
  for (const change of changesIn(text.slice(length))) {
    if (!applied(maps, change)) return problem("a change after its document does not follow it");
  }
  const read: unknown = Object.fromEntries(maps);
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- of this format, as albc writes it
  return ok(read as PolicyDocument);
}

/** The bodies of the changes, up to the first one that is not whole. */
function changesIn(text: string): readonly string[] {
  const found: string[] = [];
  for (let rest = text; ;) {
    const [whole, body = "", digest] = /^(.*?\n)albc-end ([0-9a-f]{32})\n/s.exec(rest) ?? [];
    if (whole === undefined || createHash("md5").update(body).digest("hex") !== digest) break;
    found.push(body);
    rest = rest.slice(whole.length);
  }
  return found;
}

/** False: the change starts from another version. */
function applied(maps: Map<string, unknown>, change: string): boolean {
  const [head = "", ...lines] = change.split("\n");
  const start = `albc-policy ${String(POLICY_FORMAT)} ${String(maps.get("version"))} `;
  if (!head.startsWith(start)) return false;
  maps.set("version", head.slice(start.length));
  const changed = new Map<string, Map<string, unknown>>();
  for (const line of lines) {
    const [sign, name = "", key = "", json = ""] = line.split("\t");
    if (name === "settings") maps.set(name, parseObject(json));
    else if (sign === "=") entriesOf(name, maps, changed).set(key, JSON.parse(json));
    else if (sign === "-") entriesOf(name, maps, changed).delete(key);
  }
  for (const [map, entries] of changed) maps.set(map, Object.fromEntries(entries));
  return true;
}

function entriesOf(
  name: string,
  maps: ReadonlyMap<string, unknown>,
  changed: Map<string, Map<string, unknown>>,
): Map<string, unknown> {
  return getOrInsert(changed, name, () => {
    const before = maps.get(name);
    return new Map(isObject(before) ? Object.entries(before) : []);
  });
}
