import type { ConfigMap } from "../../api/core.js";
import type { HeaderTemplate } from "../../model/auth.js";
import { compareStrings } from "../../support/compare.js";
import { memoized } from "../../support/memoized.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { parseHeaderName, parseHeaderText } from "./http-headers.js";
import { parseTemplate } from "./template.js";

export interface HeaderConfigMap {
  /** Sorted by name. */
  readonly headers: readonly HeaderTemplate[];
  /** Keys that name a header which an earlier key names. */
  readonly duplicates: readonly string[];
}

/**
 * Reads a config map of headers for the auth service: each key a name, each value a text with variables. A problem completes
 * the sentence "config map <namespace>/<name> …"; it never holds a value. Thousands of paths may name one config map.
 */
export const readHeaderConfigMap = memoized((configMap: ConfigMap): Result<HeaderConfigMap> => {
  if (Object.keys(configMap.binaryData ?? {}).length > 0) {
    return problem("has binary data, which can't be sent as headers");
  }
  const headers = new Map<string, HeaderTemplate>();
  const duplicates: string[] = [];
  const entries = Object.entries(configMap.data ?? {}).sort(([a], [b]) => compareStrings(a, b));
  for (const [key, value] of entries) {
    const header = parseHeader(key, value);
    if (!header.ok) return header;
    if (headers.has(key.toLowerCase())) duplicates.push(key);
    else headers.set(key.toLowerCase(), header.value);
  }
  return ok({ headers: [...headers.values()], duplicates });
});

function parseHeader(key: string, text: string): Result<HeaderTemplate> {
  // Host says which service is asked where several share an address; it does not change where the message ends.
  const name = key.toLowerCase() === "host" ? ok(key) : parseHeaderName(key);
  if (!name.ok) return name;
  const checked = parseHeaderText(text);
  const value = checked.ok ? parseTemplate(text, "text") : checked;
  return value.ok
    ? ok([key, value.value] as const)
    : problem(`has a value for ${key} that ${value.problem}`);
}
