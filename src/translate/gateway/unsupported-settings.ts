import type { Gateway, GatewayListener, ListenerSet } from "../../api/gateway.js";
import type { TranslateContext } from "../context.js";
import type { Place } from "../place.js";
import { placeOf, within } from "../place.js";
import { unknownInNamespaces } from "./namespace-filter.js";

/** Reports what a Gateway says that changes nothing here and keeps nothing from being served. */
export function reportGatewaySettings(gateway: Gateway, context: TranslateContext): void {
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
export function reportListenerSettings(
  parent: Gateway | ListenerSet,
  context: TranslateContext,
): void {
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
