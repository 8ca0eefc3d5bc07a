import type { Resources } from "../input/resources.js";
import type { Result } from "../support/result.js";
import { ok, problem } from "../support/result.js";

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Reads `<namespace>/<name>`; a bare name means `defaultNamespace` where there is one. */
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

/** A certificate's `<namespace>/<name>`, or `<namespace>_<name>`: names hold no underscore. */
export function parseCertificateName(text: string): Result<NamespacedName> {
  return parseNamespacedName(text.includes("/") ? text : text.replace("_", "/"));
}

/** One side of a reference between namespaces. */
export interface Referrer {
  /** `""` for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
}

export interface Referent extends Referrer {
  readonly name: string;
}

/**
 * Whether `from` may name `to`: inside one namespace always, across namespaces when a ReferenceGrant beside `to` says so.
 * Source: specification, cross-namespace references.
 */
export function isReferencePermitted(resources: Resources, from: Referrer, to: Referent): boolean {
  if (from.namespace === to.namespace) return true;
  return resources
    .list("ReferenceGrant")
    .some(
      ({ metadata, spec }) =>
        metadata.namespace === to.namespace &&
        spec.from.some(
          ({ group, kind, namespace }) =>
            group === from.group && kind === from.kind && namespace === from.namespace,
        ) &&
        spec.to.some(
          ({ group, kind, name }) =>
            group === to.group &&
            kind === to.kind &&
            (name === undefined || name === "" || name === to.name),
        ),
    );
}

/** The group of an apiVersion: `""` for `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.lastIndexOf("/");
  return slash === -1 ? "" : apiVersion.slice(0, slash);
}
