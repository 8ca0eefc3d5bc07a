import type { ReferenceGrant } from "../api/gateway.js";
import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { RoutingResources } from "../input/resources.js";
import { memoized } from "../support/collections.js";
import { type Result, ok, problem } from "../support/result.js";

/** A core object that an object of another namespace names. */
export interface CoreReference extends NamespacedName {
  readonly kind: "Secret" | "ConfigMap" | "Service";
}

/**
 * Whether a ReferenceGrant in the namespace of `to` permits objects like `from` to name it. Kinds and groups are compared as written;
 * an entry without name is for every object of its kind (Gateway API, ReferenceGrant).
 */
export function isReferenceGranted(
  resources: RoutingResources,
  from: ResourceRef,
  to: CoreReference,
): boolean {
  const granted = permissions(resources.grants(to.namespace));
  const who = [groupOf(from.apiVersion), from.kind, from.namespace];
  return (
    granted.has(permission(...who, "", to.kind, to.name)) ||
    granted.has(permission(...who, "", to.kind, EVERY))
  );
}

/** No object's name. */
const EVERY = "";

/** Of a namespace's grants, which are read once, however many references ask. */
const permissions = memoized(
  (grants: readonly ReferenceGrant[]): ReadonlySet<string> =>
    new Set(grants.flatMap(permissionsOf)),
);

function permissionsOf({ spec }: ReferenceGrant): readonly string[] {
  return spec.from.flatMap(({ group, kind, namespace }) =>
    spec.to.map((to) => permission(group, kind, namespace, to.group, to.kind, to.name ?? EVERY)),
  );
}

/** Groups, kinds and names contain no blank. */
function permission(...parts: readonly string[]): string {
  return parts.join(" ");
}

/** `networking.k8s.io` for `networking.k8s.io/v1`, `""` for `v1`. */
function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Reads `<namespace>/<name>`, or a name alone if there is a default namespace. */
export function parseNamespacedName(
  text: string,
  defaultNamespace?: string,
): Result<NamespacedName> {
  const [first = "", second, ...rest] = text.trim().split("/");
  if (second === undefined && defaultNamespace !== undefined && first !== "") {
    return ok({ namespace: defaultNamespace, name: first });
  }
  if (second === undefined || second === "" || first === "" || rest.length > 0) {
    return problem(`${JSON.stringify(text)} is not <namespace>/<name>`);
  }
  return ok({ namespace: first, name: second });
}

/** Reads `<namespace>/<name>` or `<namespace>_<name>` of a certificate: names contain no underscore. */
export function parseCertificateName(text: string): Result<NamespacedName> {
  return parseNamespacedName(text.includes("/") ? text : text.replace("_", "/"));
}
