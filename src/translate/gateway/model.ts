/**
 * What the steps of Gateway API's translation give each other: Gateways are translated to listeners, routes are attached to
 * listeners, and how many were attached goes back into the statuses of the Gateways.
 */
import type { CommonRouteSpec, Gateway, GatewayListener, ListenerSet } from "../../api/gateway.js";
import type { KubernetesObject } from "../../api/wire.js";
import type { ClientCertificates } from "../../model/listener.js";
import type { Refusal } from "../../model/upstream.js";
import type { HostPattern } from "../../model/values.js";
import type { LoadedCertificate } from "../certificates.js";
import type { Place } from "../place.js";
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

/** Why something that a rule names can't be used. */
export type UnresolvedReason =
  | "BackendNotFound"
  | "InvalidKind"
  | "RefNotPermitted"
  | "UnsupportedProtocol"
  | "UnsupportedValue";

/** Kinds of routes that can be attached. */
export type RouteKindName = "HTTPRoute" | "GRPCRoute" | "TLSRoute" | "TCPRoute" | "UDPRoute";

/** What is attached: a route of any kind. */
export interface AttachableRoute extends KubernetesObject {
  readonly spec: CommonRouteSpec;
}

/** A Gateway of one of our classes. */
export interface GatewayState {
  readonly gateway: Gateway;
  /** False: none of its listeners serves, and routes that name it are told so. */
  readonly accepted: boolean;
  /** Id of the certificate that it shows to its TLS backends; one that can't be used is none. */
  readonly clientCertificate?: string | undefined;
  /** Its own and those of its ListenerSets, in order of precedence. */
  readonly listeners: readonly ListenerState[];
}

/** One listener of a Gateway or of a ListenerSet, whether it serves or not. */
export interface ListenerState {
  readonly gateway: Gateway;
  /** The object that it stands in, which routes name as parent. */
  readonly parent: Gateway | ListenerSet;
  readonly name: string;
  readonly port: number;
  readonly hostname: HostPattern;
  readonly tls: boolean;
  /** Of listeners whose connections or datagrams are passed on as they are; TLS ends here in `terminate`. */
  readonly stream?: "tcp" | "udp" | "passthrough" | "terminate";
  /** Kinds of routes that it takes. */
  readonly kinds: readonly RouteKindName[];
  /** Whether routes of the namespace may be attached. */
  readonly allowsNamespace: (namespace: string) => boolean;
  /** Ids of listener and server in the data plane; absent: it serves nothing (in conflict, without certificate). */
  readonly serves?: { readonly listener: string; readonly server: string };
}

/** How many accepted routes each listener has; listeners that serve nothing count theirs, too. */
export type AttachedRoutes = ReadonlyMap<ListenerState, number>;

/** Gateways that reach every backend in the same way: they show the same client certificate, or none. */
export type AlikeGateways = readonly Gateway[];

/** A Service port as a backendRef names it. */
export interface BackendPort {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  /** Name of the port in the Service. */
  readonly portName?: string;
  /** Its appProtocol asks for TLS: without a policy the certificate is not checked, but the Gateway's is shown. */
  readonly tls?: boolean;
}

/** How a backend is reached through a Gateway, by the BackendTLSPolicies and the Gateway's client certificate. */
export type BackendTlsChoice =
  | { readonly kind: "none" }
  /** Id of a BackendTls of the data plane. `hasNames`: it has subjectAltNames, which can't be checked over gRPC. */
  | { readonly kind: "tls"; readonly id: string; readonly hasNames?: true }
  /** The policy that is in force can't be used: no request may reach the backend. */
  | { readonly kind: "refused"; readonly refuse: Refusal };

/** Gateways, their ListenerSets and listeners with what their statuses say. */

/** Why clients that use one connection for several hosts may meet another listener's TLS settings. */
export interface Overlap {
  readonly reason: "OverlappingCertificates" | "OverlappingHostnames";
  readonly message: string;
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
  /** With another listener that takes hosts over TLS. */
  readonly overlap?: Overlap;
  readonly clientCertificates?: ClientCertificates;
  /** Those that can be used, in the order of its references. */
  readonly certificates: readonly LoadedCertificate[];
}

/** A ListenerSet whose parent is one of our Gateways. */
export interface TranslatedListenerSet {
  readonly listenerSet: ListenerSet;
  /** NotAllowed, ParentNotAccepted, ListenersNotValid. */
  readonly accepted: Verdict;
  readonly programmed: Verdict;
  /** None when it is not attached. */
  readonly listeners: readonly TranslatedListener[];
}

export interface TranslatedGateway extends GatewayState {
  readonly gateway: Gateway;
  readonly listeners: readonly TranslatedListener[];
  readonly listenerSets: readonly TranslatedListenerSet[];
  readonly addresses: readonly string[];
  readonly verdicts: {
    /** InvalidParameters, UnsupportedAddress, ListenersNotValid. */
    readonly accepted: Verdict;
    /** Invalid, AddressNotUsable, AddressNotAssigned. */
    readonly programmed: Verdict;
    /** InvalidClientCertificateRef, RefNotPermitted. */
    readonly resolvedRefs: Verdict;
  };
}
