/** Statuses and diagnostics of Gateways, ListenerSets and their listeners. */
import { GATEWAY_GROUP } from "../../api/wire.js";
import type { Gateway, ListenerSet } from "../../api/gateway.js";
import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import { type Condition, type ObjectStatus, listOf, statusOf } from "../../status/object-status.js";
import { canonicalAddress } from "../../support/ip-address.js";
import { isObject, present } from "../../support/json-object.js";
import type { TranslateContext } from "../context.js";
import { type Place, placeOf, within } from "../place.js";
import { insecureValidations, validatesClients } from "./certificate-authorities.js";
import type {
  ListenerState,
  Policies,
  TranslatedGateway,
  TranslatedListener,
  TranslatedListenerSet,
} from "./model.js";
import { unknownInNamespaces } from "./namespace-filter.js";
import {
  HOLDS,
  type Refused,
  type Verdict,
  condition,
  firstRefused,
  negativeCondition,
  refused,
} from "./verdict.js";

interface StatusContext {
  readonly attached: ReadonlyMap<ListenerState, number>;
  readonly policies: Pick<Policies, "listenerFilters">;
}

/** The statuses of Gateways and their ListenerSets. `attached`: the number of routes of each listener, but for those that are added later. */
export function gatewayStatuses(
  gateways: readonly TranslatedGateway[],
  context: StatusContext,
): readonly ObjectStatus[] {
  return gateways.flatMap((gateway) => [
    gatewayStatus(gateway, context),
    ...gateway.listenerSets.map((set) => listenerSetStatus(set, context)),
  ]);
}

/** `more`: the number of routes to add to each listener, in their order. */
export function withAttachedRoutes(status: ObjectStatus, more: readonly number[]): ObjectStatus {
  const listeners = listOf(status.status["listeners"]).map((listener, i) => {
    if (!isObject(listener)) return listener;
    return { ...listener, attachedRoutes: Number(listener["attachedRoutes"]) + (more[i] ?? 0) };
  });
  return { ...status, status: { ...status.status, listeners } };
}

function ownListeners({ gateway, listeners }: TranslatedGateway): readonly TranslatedListener[] {
  return listeners.filter(({ parent }) => parent === gateway);
}

function gatewayStatus(translated: TranslatedGateway, context: StatusContext): ObjectStatus {
  const { gateway, reachedAt, listenerSets } = translated;
  const own = ownListeners(translated);
  return statusOf(gateway, {
    ...(reachedAt.length > 0 && { addresses: reachedAt.slice(0, MOST_ADDRESSES).map(addressOf) }),
    conditions: gatewayConditions(translated, own, context),
    listeners: own.map((listener) => listenerStatus(listener, context)),
    attachedListenerSets: listenerSets.filter(({ accepted }) => accepted.ok).length,
  });
}

/** Gateway API, GatewayStatus.addresses: maxItems. */
const MOST_ADDRESSES = 16;

function addressOf(value: string): { readonly type: string; readonly value: string } {
  return { type: canonicalAddress(value) === undefined ? "Hostname" : "IPAddress", value };
}

/** What a refused object is not, as its requests answer 503. */
function closedVerdict(
  ...objects: readonly (Gateway | ListenerSet)[]
): Partial<Readonly<Record<"accepted" | "programmed", Refused>>> {
  const closed = objects.find((object) => object.closed !== undefined)?.closed;
  if (closed === undefined) return {};
  const verdict = refused("Invalid", `its requests answer 503: ${closed.message}`);
  return { accepted: verdict, programmed: verdict };
}

function gatewayConditions(
  { gateway, verdicts }: TranslatedGateway,
  own: readonly TranslatedListener[],
  context: StatusContext,
): readonly Condition[] {
  const closed = closedVerdict(gateway);
  const { accepted = verdicts.accepted, programmed = verdicts.programmed } = closed;
  const resolvedRefs = firstRefused([verdicts.resolvedRefs, listenersResolved(own, context)]);
  // GEP-3793.
  const ofDefault = {
    reason: "DefaultGateway",
    message: "routes that ask for a default Gateway are taken",
  };
  const insecure = {
    reason: "ConfigurationChanged",
    message: `clients are served with any certificate, or with none, by ${insecureValidations(gateway).join(", ")} of spec.tls.frontend`,
  };
  return [
    condition("Accepted", accepted, acceptedBecause("the Gateway is valid", own), gateway),
    condition("Programmed", programmed, programmedBecause("the Gateway is served"), gateway),
    condition("ResolvedRefs", resolvedRefs, RESOLVED, gateway),
    ...(gateway.spec.defaultScope === "All"
      ? [condition("DefaultGateway", HOLDS, ofDefault, gateway)]
      : []),
    ...(insecureValidations(gateway).length > 0
      ? [negativeCondition("InsecureFrontendValidationMode", insecure, gateway)]
      : []),
  ];
}

const RESOLVED = { reason: "ResolvedRefs", message: "every reference is resolved" };

/** The condition is True, but the reason ListenersNotValid says that some listeners are not accepted. */
function acceptedBecause(
  message: string,
  listeners: readonly TranslatedListener[],
): { readonly reason: string; readonly message: string } {
  const invalid = listeners.filter(({ accepted }) => !accepted.ok);
  return invalid.length === 0
    ? { reason: "Accepted", message }
    : {
        reason: "ListenersNotValid",
        message: `${listenerNames(invalid)} can't be accepted, the others are`,
      };
}

function programmedBecause(message: string): { readonly reason: string; readonly message: string } {
  return { reason: "Programmed", message };
}

function listenersResolved(
  listeners: readonly TranslatedListener[],
  context: StatusContext,
): Verdict {
  const unresolved = listeners.filter((listener) => !listenerResolvedRefs(listener, context).ok);
  const message = `references of ${listenerNames(unresolved)} are not resolved`;
  return unresolved.length === 0 ? HOLDS : refused("ListenersNotResolved", message);
}

/** `listener http`, `listeners http, https`. */
function listenerNames(listeners: readonly TranslatedListener[]): string {
  const names = listeners.map(({ name }) => name).join(", ");
  return `${listeners.length === 1 ? "listener" : "listeners"} ${names}`;
}

function listenerSetStatus(
  { listenerSet, listeners, ...verdicts }: TranslatedListenerSet,
  context: StatusContext,
): ObjectStatus {
  const closed = closedVerdict(listenerSet);
  const { accepted = verdicts.accepted, programmed = verdicts.programmed } = closed;
  const why = acceptedBecause("the ListenerSet is valid", listeners);
  const served = programmedBecause("the ListenerSet is served");
  return statusOf(listenerSet, {
    conditions: [
      condition("Accepted", accepted, why, listenerSet),
      condition("Programmed", programmed, served, listenerSet),
    ],
    ...(listeners.length > 0 && {
      listeners: listeners.map((listener) => listenerStatus(listener, context)),
    }),
  });
}

/** An entry of status.listeners, in a Gateway or a ListenerSet. */
function listenerStatus(
  listener: TranslatedListener,
  context: StatusContext,
): Readonly<Record<string, unknown>> {
  const { parent, gateway, conflict, overlap } = listener;
  const closed = closedVerdict(parent, gateway);
  const { accepted = listener.accepted, programmed = listener.programmed } = closed;
  const valid = { reason: "Accepted", message: "the listener is valid" };
  const resolvedRefs = listenerResolvedRefs(listener, context);
  return {
    name: listener.name,
    supportedKinds: listener.kinds.map((kind) => ({ group: GATEWAY_GROUP, kind })),
    attachedRoutes: context.attached.get(listener) ?? 0,
    conditions: [
      condition("Accepted", accepted, valid, parent),
      condition("Programmed", programmed, programmedBecause("the listener is served"), parent),
      condition("ResolvedRefs", resolvedRefs, RESOLVED, parent),
      ...(conflict ? [negativeCondition("Conflicted", conflict, parent)] : []),
      ...(overlap ? [negativeCondition("OverlappingTLSConfig", overlap, parent)] : []),
    ],
  };
}

/** Includes the references of the listener's filters. */
function listenerResolvedRefs(listener: TranslatedListener, { policies }: StatusContext): Verdict {
  // A listener with an unknown filter is not accepted; its references are not looked up.
  if (!listener.resolvedRefs.ok || !listener.accepted.ok) return listener.resolvedRefs;
  const filters = policies.listenerFilters(listener);
  return filters.ok ? HOLDS : refused(filters.reason, filters.message);
}

/** Reports the problems that the conditions of the Gateway, its ListenerSets and their listeners name. */
export function reportGateway(translated: TranslatedGateway, context: TranslateContext): void {
  const { gateway, verdicts, listeners, listenerSets } = translated;
  const { accepted, programmed, resolvedRefs } = verdicts;
  // Invalid listeners report their problems themselves.
  if (!accepted.ok && accepted.reason !== "ListenersNotValid") {
    reportRefused("GATEWAY_INVALID", accepted, placeOf(gateway, "spec"), context);
  }
  if (!programmed.ok && programmed.reason !== "Invalid") {
    reportRefused("GATEWAY_ADDRESS", programmed, placeOf(gateway, "spec", "addresses"), context);
  }
  reportRefused("GATEWAY_REFERENCE", resolvedRefs, placeOf(gateway, "spec", "tls"), context);
  reportGatewaySettings(gateway, context);
  for (const listener of listeners) reportListener(listener, context);
  for (const { listenerSet, accepted: allowed } of listenerSets) {
    reportTlsOptions(listenerSet, context);
    if (!allowed.ok && allowed.reason !== "ListenersNotValid") {
      const place = placeOf(listenerSet, "spec", "parentRef");
      reportRefused("LISTENER_SET_NOT_SERVED", allowed, place, context);
    }
  }
}

function reportRefused(
  code: DiagnosticCode,
  verdict: Verdict,
  place: Place,
  { diagnostics }: TranslateContext,
): void {
  if (verdict.ok) return;
  const { message, hint } = verdict;
  diagnostics.report({ code, message, ...present("hint", hint), ...(verdict.place ?? place) });
}

function reportListener(listener: TranslatedListener, context: TranslateContext): void {
  const { place, port, gateway, stream, accepted, overlap, clientCertificates } = listener;
  const { diagnostics } = context;
  if (!accepted.ok) reportUnaccepted(listener, accepted, context);
  reportRefused("GATEWAY_REFERENCE", listener.resolvedRefs, place, context);
  if (overlap !== undefined) {
    const at = within(place, "hostname");
    diagnostics.report({ code: "LISTENER_OVERLAP", message: overlap.message, ...at });
  }
  if (clientCertificates?.mode === "requested") {
    const message = `clients of port ${String(port)} are served with any certificate, or with none`;
    diagnostics.report({ code: "CLIENT_CERTIFICATES_UNCHECKED", message, ...place });
  } else if (stream === "terminate" && accepted.ok && validatesClients(gateway, port)) {
    // nginx's stream module ends TLS here, and albc does not set up validation for it.
    const message = `the Gateway asks clients of port ${String(port)} for certificates, and listeners of protocol TLS don't: every client is served`;
    diagnostics.report({ code: "CLIENT_CERTIFICATES_UNCHECKED", message, ...place });
  }
}

function reportUnaccepted(
  { place, conflict }: TranslatedListener,
  accepted: Verdict & { readonly ok: false },
  context: TranslateContext,
): void {
  if (conflict !== undefined) reportRefused("LISTENER_CONFLICT", conflict, place, context);
  else if (accepted.reason === "PortUnavailable") {
    reportRefused("PORT_UNAVAILABLE", accepted, within(place, "port"), context);
  } else if (accepted.reason === "NoResources") {
    reportRefused("LISTENER_OVER_BUDGET", accepted, place, context);
  } else if (accepted.reason !== "NoValidCACertificate") {
    // Without any authority the references say why.
    reportRefused("LISTENER_INVALID", accepted, place, context);
  }
}

/** Reports settings that have no effect and do not keep the Gateway from being served. */
function reportGatewaySettings(gateway: Gateway, context: TranslateContext): void {
  const { addresses = [], defaultScope = "None", allowedListeners } = gateway.spec;
  const spec = placeOf(gateway, "spec");
  for (const [index, { routability = "" }] of addresses.entries()) {
    if (routability === "") continue;
    const message = `routability ${routability} is not told apart; the address is one of gatewayAddresses`;
    reportSetting(message, within(spec, "addresses", index, "routability"), context);
  }
  if (defaultScope !== "None" && defaultScope !== "All") {
    const message = `${JSON.stringify(defaultScope)} is none of All, None`;
    reportSetting(message, within(spec, "defaultScope"), context);
  }
  // No condition of the Gateway says that a mistake here keeps ListenerSets out.
  const known = ["All", "Same", "Selector", "None"];
  const unknown = unknownInNamespaces(allowedListeners?.namespaces ?? {}, known);
  if (unknown !== undefined) {
    reportSetting(unknown, within(spec, "allowedListeners", "namespaces"), context);
  }
  reportTlsOptions(gateway, context);
}

function reportTlsOptions(parent: Gateway | ListenerSet, context: TranslateContext): void {
  for (const [index, { tls }] of parent.spec.listeners.entries()) {
    for (const key of Object.keys(tls?.options ?? {})) {
      const place = placeOf(parent, "spec", "listeners", index, "tls", "options", key);
      reportSetting(`TLS option ${key} is not supported`, place, context);
    }
  }
}

function reportSetting(message: string, place: Place, { diagnostics }: TranslateContext): void {
  diagnostics.report({ code: "SETTING_UNSUPPORTED", message, ...place });
}
