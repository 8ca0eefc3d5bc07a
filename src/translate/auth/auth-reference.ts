import type { Result } from "../../support/result.js";
import { problem } from "../../support/result.js";
import type { NamespacedName } from "../references.js";
import { parseNamespacedName } from "../references.js";

/** RFC 1123: a namespace is a label, a secret's or config map's name a subdomain. */
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/**
 * Reads `<namespace>/<name>`, or a bare `<name>` when `ownNamespace` says whose namespace is meant. What is read is a valid
 * name, so it may be shown to clients; a problem does not hold the text.
 */
export function parseAuthReference(text: string, ownNamespace?: string): Result<NamespacedName> {
  const parsed = parseNamespacedName(text, ownNamespace);
  if (parsed.ok && NAMESPACE.test(parsed.value.namespace) && NAME.test(parsed.value.name)) {
    return parsed;
  }
  return problem("must be <namespace>/<name>" + (ownNamespace === undefined ? "" : " or <name>"));
}
