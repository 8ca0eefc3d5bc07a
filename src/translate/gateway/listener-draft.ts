import { isIP } from "node:net";
import type { Gateway, GatewayListener, ListenerSet, RouteFilter } from "../../api/gateway.js";
import { ANY_HOST } from "../../model/values.js";
import { parseHostPattern } from "../hostnames.js";
import type { Place } from "../place.js";
import { placeOf } from "../place.js";
import type { PortUse } from "./port-table.js";
import { unknownInNamespaces } from "./namespace-filter.js";
import type { CompileOptions } from "../../model/options.js";
import { protocolVerdict } from "./route-kinds.js";
import type { Verdict } from "./verdict.js";
import { firstRefused, HOLDS, refused } from "./verdict.js";
import { own } from "../../support/json-object.js";

/** A listener as it is written, before others are looked at. */
export interface ListenerDraft extends PortUse {
  readonly gateway: Gateway;
  readonly parent: Gateway | ListenerSet;
  readonly spec: GatewayListener;
  readonly place: Place;
  /** UnsupportedProtocol, UnsupportedValue. */
  readonly written: Verdict;
}

/** The listeners of a Gateway or of a ListenerSet that is attached to it. */
export function draftListeners(
  gateway: Gateway,
  parent: Gateway | ListenerSet,
  options: Pick<CompileOptions, "stream">,
): readonly ListenerDraft[] {
  return parent.spec.listeners.map((spec, index) => {
    const hostname = parseHostPattern(spec.hostname, "many");
    return {
      gateway,
      parent,
      spec,
      place: placeOf(parent, "spec", "listeners", index),
      protocol: spec.protocol,
      port: spec.port,
      hostname: hostname.ok ? hostname.value : ANY_HOST,
      written: firstRefused([
        protocolVerdict(spec.protocol, options),
        modeVerdict(spec),
        hostnameVerdict(spec.hostname),
        namespacesVerdict(spec),
        filtersVerdict(spec),
      ]),
    };
  });
}

/** By protocol; others have no tls. */
const MODES: Readonly<Record<string, readonly string[] | undefined>> = {
  HTTPS: ["Terminate"],
  TLS: ["Terminate", "Passthrough"],
};

function modeVerdict({ protocol, tls }: GatewayListener): Verdict {
  const modes = own(MODES, protocol);
  return tls?.mode === undefined || modes === undefined || modes.includes(tls.mode)
    ? HOLDS
    : refused("UnsupportedValue", `tls.mode ${JSON.stringify(tls.mode)} is not known`);
}

/** Names of hosts are not addresses (Gateway API, Hostname), though one of IPv4 looks like a name. */
function hostnameVerdict(text: string | undefined): Verdict {
  const hostname = parseHostPattern(text, "many");
  if (!hostname.ok) return refused("UnsupportedValue", hostname.problem);
  return text !== undefined && isIP(text) !== 0
    ? refused("UnsupportedValue", `hostname ${text} is an address, not a name`)
    : HOLDS;
}

function namespacesVerdict({ allowedRoutes }: GatewayListener): Verdict {
  const unknown = unknownInNamespaces(allowedRoutes?.namespaces ?? {}, ["All", "Same", "Selector"]);
  return unknown === undefined
    ? HOLDS
    : refused("UnsupportedValue", `allowedRoutes.namespaces: ${unknown}`);
}

/** That GRPC is known and can't be spoken is told by ResolvedRefs. */
const AUTH_PROTOCOLS: readonly string[] = ["HTTP", "GRPC"];

/** A filter that is passed over could be the one that keeps people out. */
function filtersVerdict({ filters }: GatewayListener): Verdict {
  return firstRefused((filters?.requests ?? []).map(filterVerdict));
}

function filterVerdict({ type, externalAuth }: RouteFilter): Verdict {
  if (type !== "ExternalAuth" && type !== "ExtensionRef") {
    const message = `filters of a listener are ExternalAuth or ExtensionRef, not ${type}`;
    return refused("UnsupportedValue", message);
  }
  const protocol = externalAuth?.protocol ?? "HTTP";
  if (AUTH_PROTOCOLS.includes(protocol)) return HOLDS;
  const message = `protocol ${JSON.stringify(protocol)} of external auth is none of ${AUTH_PROTOCOLS.join(", ")}`;
  return refused("UnsupportedValue", message);
}
