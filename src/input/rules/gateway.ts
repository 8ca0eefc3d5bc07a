/**
 * What an API server checks in a Gateway, ListenerSet or BackendTLSPolicy beyond its schema. Types that are not known pass: a condition
 * reports them.
 */
import { isIP } from "node:net";
import type {
  BackendTlsPolicy,
  Gateway,
  GatewayListener,
  ListenerSet,
  ObjectReference,
} from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import {
  type Reports,
  checkFieldsOfType,
  checkLabels,
  checkParts,
  checkText,
  checkUnique,
  invalid,
  missing,
  qualifiedNameProblem,
  shown,
  subdomainProblem,
} from "./names.js";
import { LISTENER_FILTERS, checkFilter } from "./route-filters.js";

type GatewaySpec = Gateway["spec"];

export function* checkGateway({ spec }: Gateway): Reports {
  yield* checkListeners(spec.listeners, ["spec", "listeners"]);
  yield* checkAddresses(spec.addresses ?? [], ["spec", "addresses"]);
  yield* checkInfrastructure(spec.infrastructure, ["spec", "infrastructure"]);
  yield* checkFrontendTls(spec.tls, ["spec", "tls", "frontend"]);
}

export function* checkListenerSet({ spec }: ListenerSet): Reports {
  yield* checkListeners(spec.listeners, ["spec", "listeners"]);
}

function* checkAddresses(
  addresses: NonNullable<GatewaySpec["addresses"]>,
  field: FieldPath,
): Reports {
  for (const type of ["IPAddress", "Hostname"]) {
    const values = addresses.map((address) =>
      address.type === type && address.value !== "" ? address.value : undefined,
    );
    yield* checkUnique(values, field, "address", ["value"]);
    const rule = type === "Hostname" ? wildcardProblem : ipProblem;
    for (const [i, value] of values.entries()) {
      if (value !== undefined) yield* checkText(value, rule, [...field, i, "value"], "the address");
    }
  }
}

function wildcardProblem(value: string): string | undefined {
  return subdomainProblem(value.replace(/^\*\./, ""));
}

function ipProblem(value: string): string | undefined {
  return isIP(value) === 0 ? "is no IP address, as its type says" : undefined;
}

function* checkInfrastructure(
  infrastructure: GatewaySpec["infrastructure"],
  field: FieldPath,
): Reports {
  yield* checkLabels(infrastructure?.labels ?? {}, [...field, "labels"]);
  for (const key of Object.keys(infrastructure?.annotations ?? {})) {
    yield* checkText(key, qualifiedNameProblem, [...field, "annotations", key], "the key");
  }
}

function* checkFrontendTls(tls: GatewaySpec["tls"], field: FieldPath): Reports {
  const { default: everywhere, perPort = [] } = tls?.frontend ?? {};
  yield* checkAuthorities(everywhere?.validation?.caCertificateRefs, [...field, "default"]);
  yield* checkUnique(
    perPort.map(({ port }) => port),
    [...field, "perPort"],
    "port",
    ["port"],
  );
  for (const [i, { tls }] of perPort.entries()) {
    yield* checkAuthorities(tls.validation?.caCertificateRefs, [...field, "perPort", i, "tls"]);
  }
}

/** `field` is what holds the validation. */
function* checkAuthorities(
  references: readonly ObjectReference[] | undefined,
  field: FieldPath,
): Reports {
  for (const [i, { group, kind, namespace }] of (references ?? []).entries()) {
    if (group !== "certificates.k8s.io" || kind !== "ClusterTrustBundle") continue;
    if (namespace === undefined) continue;
    yield invalid(
      [...field, "validation", "caCertificateRefs", i, "namespace"],
      "a ClusterTrustBundle has no namespace",
    );
  }
}

const WITHOUT_TLS = new Set(["HTTP", "TCP", "UDP"]);
const WITHOUT_HOSTNAME = new Set(["TCP", "UDP"]);
const WITHOUT_FILTERS = new Set(["TLS", "TCP", "UDP"]);

/** A protocol that is not known passes: a condition reports it. */
function* checkListeners(listeners: readonly GatewayListener[], field: FieldPath): Reports {
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

function* checkTls({ protocol, tls }: GatewayListener, field: FieldPath): Reports {
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
    yield invalid(
      [...field, "mode"],
      "a listener of protocol HTTPS must have the mode Terminate",
      "to pass TLS on to the backend, use protocol TLS and a TLSRoute",
    );
  }
  if (mode === "Terminate" && certificateRefs.length === 0 && Object.keys(options).length === 0) {
    yield missing(
      [...field, "certificateRefs"],
      "tls with mode Terminate needs certificateRefs or options",
      "add tls.certificateRefs with the name of the Secret that has the certificate",
    );
  }
}

/** Port, protocol and hostname together may stand once only. */
function* checkDistinct(
  listener: GatewayListener,
  before: readonly GatewayListener[],
  field: FieldPath,
): Reports {
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

function* checkFilters({ protocol, filters }: GatewayListener, field: FieldPath): Reports {
  if (filters === undefined) return;
  if (WITHOUT_FILTERS.has(protocol)) {
    yield invalid(field, `a listener of protocol ${protocol} must not have filters`);
  }
  for (const [i, filter] of (filters.requests ?? []).entries()) {
    yield* checkFilter(filter, LISTENER_FILTERS, [...field, "requests", i]);
  }
}

type Validation = BackendTlsPolicy["spec"]["validation"];

/** The field of each type of name. */
const NAME_FIELDS = { Hostname: "hostname", URI: "uri" } as const;

export function* checkBackendTlsPolicy({ spec }: BackendTlsPolicy): Reports {
  yield* checkParts(spec.targetRefs, ["spec", "targetRefs"], {
    noun: "target",
    part: "sectionName",
    needs: "a sectionName",
    hint: "remove one of the two",
  });
  const { validation } = spec;
  yield* checkTrust(validation, ["spec", "validation"]);
  for (const [i, name] of (validation.subjectAltNames ?? []).entries()) {
    const field = ["spec", "validation", "subjectAltNames", i];
    yield* checkFieldsOfType(name, NAME_FIELDS, field, "a name");
  }
}

function* checkTrust(validation: Validation, field: FieldPath): Reports {
  const { caCertificateRefs = [], wellKnownCACertificates: wellKnown = "" } = validation;
  if (caCertificateRefs.length > 0 && wellKnown !== "") {
    yield invalid(
      [...field, "wellKnownCACertificates"],
      "validation has caCertificateRefs or wellKnownCACertificates, not both",
    );
  }
  if (caCertificateRefs.length === 0 && wellKnown === "") {
    yield missing(
      [...field, "caCertificateRefs"],
      "validation needs caCertificateRefs or wellKnownCACertificates",
      "name the ConfigMap with the certificates, or set wellKnownCACertificates: System",
    );
  }
}
