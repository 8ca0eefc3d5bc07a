import type { KindMap } from "../../api/kinds.js";
import type { Result } from "../../support/result.js";
import { problem } from "../../support/result.js";
import type { NamespacedName } from "../reference-grants.js";
import { isReferenceGranted, parseNamespacedName } from "../reference-grants.js";
import type { AuthOwner, Setting } from "./settings.js";

type ReferencedKind = "Secret" | "ConfigMap";

interface Referenced<K extends ReferencedKind> {
  readonly name: NamespacedName;
  readonly object: KindMap[K];
}

const SHOWN_KIND: Readonly<Record<ReferencedKind, string>> = {
  Secret: "secret",
  ConfigMap: "config map",
};

/**
 * The object that a setting names. One that the owner may not use is reported before it is looked up, so that nobody learns
 * what other namespaces hold.
 */
export function referencedObject<K extends ReferencedKind>(
  owner: AuthOwner,
  kind: K,
  setting: Setting,
  bareNames: boolean,
): Referenced<K> | undefined {
  const { problems, resource, context } = owner;
  const reference = parseAuthReference(setting.value, bareNames ? resource.namespace : undefined);
  const name = problems.valueOf(reference, setting);
  if (name === undefined) return undefined;
  const shown = `${SHOWN_KIND[kind]} ${name.namespace}/${name.name}`;
  if (!mayName(owner, kind, name)) {
    const what = `${shown} is in another namespace`;
    problems.fail({ code: "AUTH_REFERENCE_FORBIDDEN", what, place: setting });
    return undefined;
  }
  const object = context.resources.get(kind, name.namespace, name.name);
  if (object === undefined) {
    const what = `${shown} not found`;
    problems.fail({ code: "AUTH_REFERENCE_NOT_FOUND", what, place: setting });
    return undefined;
  }
  return { name, object };
}

function mayName(owner: AuthOwner, kind: ReferencedKind, name: NamespacedName): boolean {
  const { resources, options } = owner.context;
  return (
    owner.operator ||
    name.namespace === owner.resource.namespace ||
    options.allowCrossNamespaceAuth ||
    isReferenceGranted(resources, owner.resource, { kind, ...name })
  );
}

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
