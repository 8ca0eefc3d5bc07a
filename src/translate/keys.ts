/** What the translation of an object depends on, as keys: it is translated again when one of its keys has changed. */
import type { KubernetesObject } from "../api/wire.js";
import { groupBy } from "../support/collections.js";

/** Of an object, such as `Service/<namespace>/<name>`, or of a fact about several objects: grants, policies, a parent. */
export type Key = string;

export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function objectKey({ kind, namespace, name }: ObjectName): Key {
  return `${kind}/${namespace}/${name}`;
}

/** The key that changes with the object. */
export function keyOfObject({ kind, metadata: { namespace, name } }: KubernetesObject): Key {
  return kind === "ReferenceGrant" ? grantsKey(namespace) : objectKey({ kind, namespace, name });
}

/** Of a key that `objectKey` gave: no name has a slash. */
export function objectName(key: Key): ObjectName {
  const [kind = "", namespace = "", name = ""] = key.split("/");
  return { kind, namespace, name };
}

/** A fact by its key; a key may have several. */
export type Fact = readonly [Key, unknown];

/** The facts of each key as one text. */
export function textsOf(facts: Iterable<Fact>): ReadonlyMap<Key, string> {
  const byKey = groupBy(facts, ([key]) => key);
  return new Map([...byKey].map(([key, known]) => [key, JSON.stringify(known)]));
}

/** All ReferenceGrants of a namespace. */
export function grantsKey(namespace: string): Key {
  return `ReferenceGrant/${namespace}`;
}

/** An AuthPolicy that an ExtensionRef filter names: whether it is there, and configures anything. */
export function extensionKey(namespace: string, name: string): Key {
  return `extension/${namespace}/${name}`;
}

export function isExtensionKey(key: Key): boolean {
  return key.startsWith("extension/");
}

/** A parent as routes of the namespace `from` see it; without a parent, the default Gateways. */
export function parentKey(from: string, parent?: ObjectName): Key {
  return `parent/${from}/${parent === undefined ? "" : objectKey(parent)}`;
}
