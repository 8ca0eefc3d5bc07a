/** What an API server checks in the listeners of a Gateway or a ListenerSet. A protocol that is not known passes. */
import type { GatewayListener } from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/field-path.js";
import { invalid, missing, shown } from "../finding.js";
import type { Findings } from "../finding.js";
import { checkFilter, LISTENER_FILTERS } from "./route-filters.js";
import { checkUnique } from "./unique.js";

const WITHOUT_TLS = new Set(["HTTP", "TCP", "UDP"]);
const WITHOUT_HOSTNAME = new Set(["TCP", "UDP"]);
const WITHOUT_FILTERS = new Set(["TLS", "TCP", "UDP"]);

export function* checkListeners(listeners: readonly GatewayListener[], field: FieldPath): Findings {
  yield* checkUnique(
    listeners.map(({ name }) => name),
    field,
    "listener",
    ["name"],
  );
  for (const [i, listener] of listeners.entries()) {
    const place = [...field, i];
    yield* checkTls(listener, [...place, "tls"]);
    yield* checkDistinct(listener, listeners.slice(0, i), place);
    yield* checkFilters(listener, [...place, "filters"]);
    if (WITHOUT_HOSTNAME.has(listener.protocol) && listener.hostname !== undefined) {
      yield invalid(
        [...place, "hostname"],
        `a listener of protocol ${listener.protocol} must not have a hostname`,
      );
    }
  }
}

function* checkTls({ protocol, tls }: GatewayListener, field: FieldPath): Findings {
  if (tls === undefined) {
    if (protocol === "TLS") yield missing(field, "a listener of protocol TLS needs tls");
    return;
  }
  const { mode = "Terminate", certificateRefs = [], options = {} } = tls;
  if (WITHOUT_TLS.has(protocol)) {
    yield invalid(
      field,
      `a listener of protocol ${protocol} must not have tls`,
      "remove tls, or make the protocol HTTPS",
    );
  } else if (protocol === "HTTPS" && mode === "Passthrough") {
    yield invalid([...field, "mode"], "a listener of protocol HTTPS must have the mode Terminate");
  }
  if (mode === "Terminate" && certificateRefs.length === 0 && Object.keys(options).length === 0) {
    yield missing(
      [...field, "certificateRefs"],
      "tls with mode Terminate needs certificateRefs or options",
      "name the Secret with the certificate in certificateRefs",
    );
  }
}

/** Port, protocol and hostname together may stand once only. */
function* checkDistinct(
  listener: GatewayListener,
  before: readonly GatewayListener[],
  field: FieldPath,
): Findings {
  const { port, protocol, hostname } = listener;
  const twin = before.find(
    (other) => other.port === port && other.protocol === protocol && other.hostname === hostname,
  );
  if (twin === undefined) return;
  const host = hostname === undefined ? "no hostname" : `the hostname ${shown(hostname)}`;
  yield invalid(
    field,
    `port ${port}, protocol ${protocol} and ${host} are those of listener ${shown(twin.name)}`,
    "give one of the two another port or hostname",
  );
}

function* checkFilters({ protocol, filters }: GatewayListener, field: FieldPath): Findings {
  if (filters === undefined) return;
  if (WITHOUT_FILTERS.has(protocol)) {
    yield invalid(field, `a listener of protocol ${protocol} must not have filters`);
  }
  for (const [i, filter] of (filters.requests ?? []).entries()) {
    yield* checkFilter(filter, LISTENER_FILTERS, [...field, "requests", i]);
  }
}
