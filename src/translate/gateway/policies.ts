/** What routes ask of the policies: TLS to their backends, and auth. */
import type {
  ExternalAuthFilter,
  GrpcRoute,
  HttpRoute,
  ObjectReference,
} from "../../api/gateway.js";
import type { InheritedAuth } from "../../model/listener.js";
import type { BackendTls } from "../../model/upstream.js";
import type { ObjectStatus } from "../../status/object-status.js";
import type { Place } from "../place.js";
import type { Key } from "./keys.js";
import type {
  AlikeGateways,
  BackendPort,
  BackendTlsChoice,
  ListenerState,
  UnresolvedReason,
} from "./model.js";

/** Ids for `Route.auth` or `BackendFilters.auth`; all must pass, in order. Empty: nothing is checked. */
export type AuthRef =
  | { readonly ok: true; readonly auth: readonly string[] }
  /**
   * The filter can't be resolved: its requests must be answered with an error. Reported already at the filter's place;
   * `reason` and `message` are for the condition ResolvedRefs.
   */
  | { readonly ok: false; readonly reason: UnresolvedReason; readonly message: string };

export interface Policies {
  /** What of the policies decides the answers below, by the keys of `policiesKey` and `refusedKey`; none where there are no policies. */
  readonly facts: ReadonlyMap<Key, string>;
  /**
   * How a Service port is reached through the Gateways. To be called for every Service that a route (backendRef, mirror) of the
   * Gateways names, also for one that does not exist: the calls are what the policies' statuses name as ancestors.
   */
  backendTls(gateways: AlikeGateways, backend: BackendPort): BackendTlsChoice;
  /** An ExtensionRef filter; `place` is the filter's, and its object's namespace is where the AuthPolicy is looked up. */
  extension(ref: ObjectReference, place: Place): AuthRef;
  /** An ExternalAuth filter; `place` is the filter's. Any protocol but HTTP is not ok. */
  externalAuth(filter: ExternalAuthFilter, place: Place, gateways: AlikeGateways): AuthRef;
  /**
   * Auth of the listener's own filters (GEP-5224). It comes first and is never replaced: rules have these ids before their own
   * or inherited ones. Not ok: the listener's requests must be answered with an error.
   */
  listenerFilters(listener: ListenerState): AuthRef;
  /**
   * What a rule without auth filters of its own has: the AuthPolicy that targets its name, else its route, as a whole object.
   * Undefined: there is none, so it inherits from its listeners. A rule that has filters of its own (AuthPolicy by ExtensionRef, or
   * ExternalAuth) inherits nothing, even if theirs are empty.
   */
  attached(route: HttpRoute | GrpcRoute, rule: string | undefined): readonly string[] | undefined;
  /** What routes have from the listeners that serve: their filters, and the most specific policy for listener, ListenerSet or Gateway. */
  inherited(): readonly InheritedAuth[];
  /** Of BackendTLSPolicies and AuthPolicies; to be called after the routes have been translated. */
  statuses(): readonly ObjectStatus[];
  /** Every BackendTls that was chosen, by id; to be called last. */
  collected(): readonly BackendTls[];
}
