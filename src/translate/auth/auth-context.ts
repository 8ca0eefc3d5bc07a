import type { Auth } from "../../api/auth.js";
import type { FieldPath, ResourceRef } from "../../diagnostics/diagnostic.js";
import type { AuthChecks, AuthConfig, CredentialSet } from "../../model/auth.js";
import type { Place } from "../place.js";
import type { ServicePortRef } from "../backends.js";
import type { BuildContext } from "../config-builder.js";
import type { AnnotationLookup } from "../ingress/annotations/annotation-reader.js";

/** What steps with objects that auth can be set on read, and add to. */
export interface AuthContext extends BuildContext {
  readonly auth: AuthTranslator;
}

export interface AuthTranslator {
  /**
   * Ids for `Route.auth`, none for an object that configures nothing. `field`: of the Auth object, such as `["spec", "config", "auth"]`.
   * `operator`: ALB2, Frontend and Rule are the operator's: they may name secrets and config maps of any namespace.
   */
  fromObject(
    auth: Auth,
    owner: {
      readonly resource: ResourceRef;
      readonly field: FieldPath;
      readonly operator: boolean;
    },
  ): readonly string[];
  /** Ids for a path of an Ingress, none if it switches auth off, undefined if it inherits. */
  fromAnnotations(lookup: AnnotationLookup, ingress: ResourceRef): readonly string[] | undefined;
  /** Takes what the field of an object checks. Returns its id, which is named after the content, so that equal ones are one policy. */
  share(place: Place, checks: AuthChecks): string;
  /** Takes a policy that was made elsewhere; the first of an id stays. The Service of its URL must be added as upstream. */
  add(policy: AuthConfig): void;
  /** Why the paths of a translated policy are closed; undefined when they are not. */
  invalid(id: string): string | undefined;
  /** The fields of its object that close the paths of a translated policy. */
  closers(id: string): readonly string[];
  /**
   * All that was translated, sorted; to be called last, since it reports annotations that turned out to serve no path.
   * `services` become upstreams named `<namespace>/<name>/<port>`.
   */
  collected(): {
    readonly auths: readonly AuthConfig[];
    readonly credentials: readonly CredentialSet[];
    readonly services: readonly ServicePortRef[];
  };
}
