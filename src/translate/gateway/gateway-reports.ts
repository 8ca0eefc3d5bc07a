import type { Gateway, GatewayListener, ListenerSet } from "../../api/gateway.js";
import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import type { TranslateContext } from "../context.js";
import type { Place } from "../place.js";
import { placeOf, within } from "../place.js";
import { validatesClients } from "./client-validation.js";
import { unknownInNamespaces } from "./namespace-filter.js";
import type { TranslatedGateway, TranslatedListener, TranslatedListenerSet } from "./model.js";
import type { Verdict } from "./verdict.js";

/** Reports what the conditions of the Gateway, its ListenerSets and their listeners say is wrong. */
export function reportGateway(translated: TranslatedGateway, context: TranslateContext): void {
  const { gateway, verdicts, listeners, listenerSets } = translated;
  const report = reporter(context);
  const { accepted, programmed, resolvedRefs } = verdicts;
  // Listeners tell themselves what is wrong with them.
  if (!accepted.ok && accepted.reason !== "ListenersNotValid") {
    report("GATEWAY_INVALID", accepted, placeOf(gateway, "spec"));
  }
  if (!programmed.ok && programmed.reason !== "Invalid") {
    report("GATEWAY_ADDRESS", programmed, placeOf(gateway, "spec", "addresses"));
  }
  report("GATEWAY_REFERENCE", resolvedRefs, placeOf(gateway, "spec", "tls"));
  reportGatewaySettings(gateway, context);
  for (const listener of listeners) reportListener(listener, context);
  for (const set of listenerSets) reportListenerSet(set, context);
}

type Reporter = (code: DiagnosticCode, verdict: Verdict, place: Place) => void;

function reporter({ diagnostics }: TranslateContext): Reporter {
  return (code, verdict, place) => {
    if (verdict.ok) return;
    diagnostics.report({ code, message: verdict.message, ...(verdict.place ?? place) });
  };
}

function reportListener(listener: TranslatedListener, context: TranslateContext): void {
  const { place, conflict, accepted, resolvedRefs, overlap, clientCertificates } = listener;
  const report = reporter(context);
  if (conflict !== undefined) report("LISTENER_CONFLICT", conflict, place);
  else if (!accepted.ok && accepted.reason === "PortUnavailable") {
    report("PORT_UNAVAILABLE", accepted, within(place, "port"));
  } else if (!accepted.ok && accepted.reason === "NoResources") {
    report("LISTENER_OVER_BUDGET", accepted, place);
  }
  // Without any authority the references tell why.
  else if (!accepted.ok && accepted.reason !== "NoValidCACertificate") {
    report("LISTENER_INVALID", accepted, place);
  }
  report("GATEWAY_REFERENCE", resolvedRefs, place);
  if (overlap !== undefined) {
    context.diagnostics.report({
      code: "LISTENER_OVERLAP",
      message: overlap.message,
      ...within(place, "hostname"),
    });
  }
  const port = String(listener.port);
  if (clientCertificates?.mode === "requested") {
    const message = `clients of port ${port} are served with any certificate, or with none`;
    context.diagnostics.report({ code: "CLIENT_CERTIFICATES_UNCHECKED", message, ...place });
  } else if (isUnvalidatedTls(listener)) {
    const message = `the Gateway asks clients of port ${port} for certificates, and listeners of protocol TLS don't: every client is served`;
    context.diagnostics.report({ code: "CLIENT_CERTIFICATES_UNCHECKED", message, ...place });
  }
}

/** nginx's stream module ends TLS here, for which validation is not set up. */
function isUnvalidatedTls({ spec, accepted, gateway, port }: TranslatedListener): boolean {
  const endsTls = spec.protocol === "TLS" && (spec.tls?.mode ?? "Terminate") === "Terminate";
  return endsTls && accepted.ok && validatesClients(gateway, port);
}

function reportListenerSet(
  { listenerSet, accepted }: TranslatedListenerSet,
  context: TranslateContext,
): void {
  reportListenerSettings(listenerSet, context);
  if (accepted.ok || accepted.reason === "ListenersNotValid") return;
  reporter(context)("LISTENER_SET_NOT_SERVED", accepted, placeOf(listenerSet, "spec", "parentRef"));
}

/** Reports what a Gateway says that changes nothing here and keeps nothing from being served. */
function reportGatewaySettings(gateway: Gateway, context: TranslateContext): void {
  const { addresses = [], defaultScope = "None" } = gateway.spec;
  const spec = placeOf(gateway, "spec");
  for (const [index, { routability = "" }] of addresses.entries()) {
    if (routability === "") continue;
    const message = `routability ${routability} is not told apart; the address is one of gatewayAddresses`;
    report(message, within(spec, "addresses", index, "routability"), context);
  }
  if (defaultScope !== "None" && defaultScope !== "All") {
    const message = `${JSON.stringify(defaultScope)} is none of All, None`;
    report(message, within(spec, "defaultScope"), context);
  }
  reportAllowedListeners(gateway, context);
  reportListenerSettings(gateway, context);
}

/** No condition of a Gateway says that ListenerSets are kept out by a mistake; theirs name the value that does. */
function reportAllowedListeners(gateway: Gateway, context: TranslateContext): void {
  const { namespaces = {} } = gateway.spec.allowedListeners ?? {};
  const unknown = unknownInNamespaces(namespaces, ["All", "Same", "Selector", "None"]);
  if (unknown === undefined) return;
  report(unknown, placeOf(gateway, "spec", "allowedListeners", "namespaces"), context);
}

/** The same of the listeners of a Gateway or ListenerSet. */
function reportListenerSettings(parent: Gateway | ListenerSet, context: TranslateContext): void {
  for (const [index, listener] of parent.spec.listeners.entries()) {
    reportTlsOptions(listener, placeOf(parent, "spec", "listeners", index), context);
  }
}

function reportTlsOptions({ tls }: GatewayListener, place: Place, context: TranslateContext): void {
  for (const key of Object.keys(tls?.options ?? {})) {
    report(`TLS option ${key} is not supported`, within(place, "tls", "options", key), context);
  }
}

function report(message: string, place: Place, { diagnostics }: TranslateContext): void {
  diagnostics.report({ code: "SETTING_UNSUPPORTED", message, ...place });
}
