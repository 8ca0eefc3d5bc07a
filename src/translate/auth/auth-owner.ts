import type { KindMap } from "../../api/kinds.js";
import type { ResourceRef } from "../../diagnostics/diagnostic.js";
import type { TranslateContext } from "../context.js";
import { isReferenceGranted } from "../reference-grants.js";
import type { NamespacedName } from "../references.js";
import type { AuthProblems } from "./auth-problems.js";
import { parseAuthReference } from "./auth-reference.js";
import type { Setting } from "./settings.js";

/** The object that an Auth object stands in, and what its settings may do. */
export interface AuthOwner {
  readonly context: TranslateContext;
  readonly problems: AuthProblems;
  readonly resource: ResourceRef;
  /** ALB2, Frontend and Rule are the operator's: they may name objects of any namespace. */
  readonly operator: boolean;
}

type ReferencedKind = "Secret" | "ConfigMap";

export interface Referenced<K extends ReferencedKind> {
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
