/**
 * What the steps of Gateway API's translation pass on: Gateways become listeners, routes attach to listeners, policies tell routes about
 * TLS and auth, and the number of attached routes goes back into the statuses of the Gateways.
 */
import type {
  CommonRouteSpec,
  ExternalAuthFilter,
  Gateway,
  GatewayListener,
  GrpcRoute,
  HttpRoute,
  ListenerSet,
  ObjectReference,
  RouteFilter,
} from "../../api/gateway.js";
import type { KubernetesObject } from "../../api/wire.js";
import type { ClientCertificates, InheritedAuth } from "../../model/listener.js";
import type { ErrorPages, PathMatch, Predicate, Route } from "../../model/route.js";
import type { BackendFilters } from "../../model/filters.js";
import type { BackendTls, Refusal } from "../../model/upstream.js";
import type { HostPattern } from "../../model/values.js";
import type { AuthContext } from "../auth/auth-context.js";
import type { LoadedCertificate } from "../certificates.js";
import type { Place } from "../place.js";
import type { MatchRank } from "../precedence.js";
import type { Key } from "../keys.js";
import type { RouteProblems, RuleOutcome, UnresolvedReason } from "./route-problems.js";
import type { Refused, Verdict } from "./verdict.js";

export const HTTP_METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "OPTIONS",
  "TRACE",
  "PATCH",
] as const;

export type RouteKindName = "HTTPRoute" | "GRPCRoute" | "TLSRoute" | "TCPRoute" | "UDPRoute";

/** A route of any kind, with what attaches it to listeners. */
export interface AttachableRoute extends KubernetesObject {
  readonly spec: CommonRouteSpec;
}

/** A Gateway of one of our classes. */
export interface GatewayState {
  readonly gateway: Gateway;
  /** False: none of its listeners serves, and the status of its routes says so. */
  readonly accepted: boolean;
  /** Id of the certificate that it shows to TLS backends; absent also if the certificate can't be used. */
  readonly clientCertificate?: string | undefined;
  /** For its routes; absent: the options' limit. */
  readonly body: Pick<Route, "bodyLimit" | "holdsBody">;
  /** Its own and those of its ListenerSets, in order of precedence. */
  readonly listeners: readonly ListenerState[];
}

/** One listener of a Gateway or of a ListenerSet, whether it serves or not. */
export interface ListenerState {
  readonly gateway: Gateway;
  /** The Gateway or ListenerSet that declares it, which routes name as parent. */
  readonly parent: Gateway | ListenerSet;
  readonly name: string;
  readonly port: number;
  readonly hostname: HostPattern;
  readonly tls: boolean;
  /** Present if connections or datagrams are passed on unread; in `terminate`, TLS ends at the gateway. */
  readonly stream?: "tcp" | "udp" | "passthrough" | "terminate";
  /** Kinds of routes that may attach. */
  readonly kinds: readonly RouteKindName[];
  /** Whether routes of the namespace may attach. */
  readonly allowsNamespace: (namespace: string) => boolean;
  /** Ids of listener and server in the data plane; absent: it serves nothing (in conflict, without certificate). */
  readonly serves?: { readonly listener: string; readonly server: string };
  /** For its routes. */
  readonly errorPages?: ErrorPages;
}

/** A listener as its Gateway or ListenerSet describes it, before other objects are looked at. */
export interface WrittenListener extends ListenerState {
  readonly spec: GatewayListener;
  readonly place: Place;
  /** UnsupportedProtocol, UnsupportedValue. */
  readonly written: Verdict;
  /** InvalidRouteKinds. */
  readonly routeKindsVerdict: Verdict;
}

export interface TranslatedListener extends WrittenListener {
  /** Another listener has its port or hostname. */
  readonly conflict?: Refused;
  /** UnsupportedProtocol, UnsupportedValue, PortUnavailable, NoValidCACertificate, or the conflict. */
  readonly accepted: Verdict;
  /** InvalidCertificateRef, InvalidRouteKinds, RefNotPermitted, InvalidCACertificateRef, InvalidCACertificateKind. */
  readonly resolvedRefs: Verdict;
  readonly programmed: Verdict;
  /** Why clients that use one connection for several hosts may meet another listener's TLS settings. */
  readonly overlap?: Pick<Refused, "reason" | "message">;
  readonly clientCertificates?: ClientCertificates;
  /** The usable ones, in the order of the listener's references. */
  readonly certificates: readonly LoadedCertificate[];
}

/** A ListenerSet whose parent is one of our Gateways. */
export interface TranslatedListenerSet {
  readonly listenerSet: ListenerSet;
  /** NotAllowed, ParentNotAccepted, ListenersNotValid. */
  readonly accepted: Verdict;
  readonly programmed: Verdict;
  /** Empty unless it is attached. */
  readonly listeners: readonly TranslatedListener[];
}

export interface TranslatedGateway extends GatewayState {
  readonly listeners: readonly TranslatedListener[];
  readonly listenerSets: readonly TranslatedListenerSet[];
  readonly addresses: readonly string[];
  /** Addresses and names for its status. */
  readonly reachedAt: readonly string[];
  readonly verdicts: {
    /** InvalidParameters, UnsupportedAddress, ListenersNotValid. */
    readonly accepted: Verdict;
    /** Invalid, AddressNotUsable, AddressNotAssigned. */
    readonly programmed: Verdict;
    /** InvalidClientCertificateRef, RefNotPermitted. */
    readonly resolvedRefs: Verdict;
  };
}

/** A Service port as a backendRef names it. */
export interface BackendPort {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  /** Name of the port in the Service. */
  readonly portName?: string;
  /** Its appProtocol requires TLS: without a policy the backend's certificate is not verified, but the Gateway's is shown. */
  readonly tls?: boolean;
}

/** How a backend is reached through a Gateway, by the BackendTLSPolicies and the Gateway's client certificate. */
export type BackendTlsChoice =
  | { readonly kind: "none" }
  | { readonly kind: "tls"; readonly tls: BackendTls }
  /** The policy in force can't be used: no request may reach the backend. */
  | { readonly kind: "refused"; readonly refuse: Refusal };

/** Ids for `Route.auth` or `BackendFilters.auth`; all must pass, in order. Empty: nothing is checked. */
export type AuthRef =
  | { readonly ok: true; readonly auth: readonly string[] }
  /**
   * The filter can't be resolved, so its requests must be answered with an error. The problem is already reported at the filter's
   * place; `reason` and `message` are for the condition ResolvedRefs.
   */
  | { readonly ok: false; readonly reason: UnresolvedReason; readonly message: string };

/** The policies' answers to one route or listener: TLS to its backends, and auth. */
export interface PolicyAnswers {
  /**
   * How a Service port is reached through the Gateways, which all show backends the same client certificate. To be called for every
   * Service that a backendRef names, also for one that does not exist: the policies' statuses name the callers' Gateways as ancestors.
   */
  backendTls(gateways: readonly Gateway[], backend: BackendPort): BackendTlsChoice;
  /** An ExtensionRef filter at `place`, in whose namespace the AuthPolicy is looked up. */
  extension(ref: ObjectReference, place: Place): AuthRef;
  /** An ExternalAuth filter at `place`. Any protocol but HTTP is not ok. */
  externalAuth(filter: ExternalAuthFilter, place: Place, gateways: readonly Gateway[]): AuthRef;
  /**
   * Auth of a rule that has no auth filters of its own: from the AuthPolicy that targets the rule by name, or else its route.
   * Undefined: there is none, so the rule inherits from its listeners. A rule with auth filters (ExtensionRef or ExternalAuth)
   * inherits nothing, even if the filters check nothing.
   */
  attached(route: AnyRoute, rule: string | undefined): readonly string[] | undefined;
}

/** What is known of the routes of Gateways once they have been translated. */
export interface RouteReaders {
  /** Titles of the Gateways that serve the route, such as `Gateway infra/edge`. */
  gatewaysOf(route: Key): readonly string[];
  /** Routes whose translation read the key. */
  readersOf(key: Key): readonly Key[];
  /** Of what the last translation changed: routes, the AuthPolicies that their filters name or named, and changed facts. */
  readonly touched: Iterable<Key>;
}

/** The AuthPolicies and BackendTLSPolicies. */
export interface Policies {
  /** What decides the answers to routes, by the keys that are noted. Of the AuthPolicies alone: the same map until one changes. */
  readonly policyFacts: ReadonlyMap<Key, string>;
  /** Of everything else. */
  readonly facts: ReadonlyMap<Key, string>;
  /** Problems and all that the answers need go to the asker's own `context`; `note` gets the keys of what they depend on. */
  answersFor(context: AuthContext, note: (key: Key) => void): PolicyAnswers;
  /** The same for listeners and streams of a Gateway. */
  answersOf(gateway: Gateway): PolicyAnswers;
  /**
   * Auth of the listener's own filters (GEP-5224). It comes first and is never replaced: rules have these ids before their own
   * or inherited ones. Not ok: the listener's requests must be answered with an error.
   */
  listenerFilters(listener: ListenerState): AuthRef;
  /** Auth that routes inherit from the listeners that serve: their filters, and the most specific policy. */
  inherited(): readonly InheritedAuth[];
}

export type AnyRoute = HttpRoute | GrpcRoute;

/** What the translation of a route reads, and adds to. */
export interface RouteContext extends AuthContext {
  readonly policies: PolicyAnswers;
}

/** The same for one rule, with what it belongs to. */
export interface RuleContext extends RouteContext {
  readonly route: AnyRoute;
  /** The rule is translated for these Gateways: they show backends the same client certificate and have the same body limit. */
  readonly gateways: readonly Gateway[];
  readonly body: GatewayState["body"];
  readonly problems: RouteProblems;
  /** The path prefix of all matches of the rule, without trailing slash; undefined if a match has another type. */
  readonly prefix?: string | undefined;
}

/** One match of a rule: its conditions, and their rank. */
export interface RuleMatch {
  /** Position in the rule. */
  readonly index: number;
  /** Undefined: any path. */
  readonly path: PathMatch | undefined;
  readonly when: readonly Predicate[];
  readonly rank: MatchRank;
  /** The path, for a match by prefix. */
  readonly prefix?: string;
}

/** A rule as some of the Gateways serve it. */
export interface RulePlan extends RuleOutcome {
  readonly place: Place;
  /** Fields of the route that make the rule refuse its requests. */
  readonly closers: readonly string[];
  /** The matches of the rule, grouped by what happens to their requests. */
  readonly branches: readonly {
    /** Id of the route; unique among all routes. */
    readonly id: string;
    readonly matches: readonly RuleMatch[];
    /** `auth` is that of the rule's own filters; absent: it has none. */
    readonly content: Omit<Route, "id" | "source">;
  }[];
}

/** What the filters of a rule or a backendRef do. `refuse`: a filter that can't be resolved answers its requests, as it must not be skipped. */
export interface FilterEffects extends BackendFilters, Pick<Route, "refuse"> {}

/** A type of filter; `filters/index.ts` lists them. */
export interface FilterType<
  Field extends Exclude<keyof RouteFilter, "type"> = Exclude<keyof RouteFilter, "type">,
> {
  readonly type: string;
  /** The field with the filter's settings. */
  readonly field: Field;
  /** GRPCRoutes have it too. */
  readonly isForGrpc?: true;
  /** It would have to run before a redirect, which answers first; so a rule can't have both. */
  readonly isBeforeRedirect?: true;
  /** The effects that it adds to those of earlier filters; `place` is the filter's. */
  apply(
    settings: NonNullable<RouteFilter[Field]>,
    place: Place,
    context: RuleContext,
    earlier: FilterEffects,
  ): FilterEffects;
}
