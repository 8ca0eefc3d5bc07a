/** Gateways, their ListenerSets and listeners with what their statuses say. */
import type { Gateway, GatewayListener, ListenerSet } from "../../api/gateway.js";
import type { ClientCertificates } from "../../model/listener.js";
import type { LoadedCertificate } from "../certificates.js";
import type { Place } from "../place.js";
import type { GatewayState, ListenerState } from "./model.js";
import type { Refused, Verdict } from "./verdict.js";

/** Why clients that use one connection for several hosts may meet another listener's TLS settings. */
export interface Overlap {
  readonly reason: "OverlappingCertificates" | "OverlappingHostnames";
  readonly message: string;
}

export interface TranslatedListener extends ListenerState {
  readonly spec: GatewayListener;
  readonly place: Place;
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
