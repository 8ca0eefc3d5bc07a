/** What the backendRefs of routes of every kind have in common: they name ports of Services. */
import type { Service } from "../../../api/core.js";
import type { BackendReference } from "../../../api/gateway.js";
import type { DiagnosticCode } from "../../../diagnostics/catalog.js";
import { isExternalName, portList } from "../../backends.js";
import { resourceRef } from "../../place.js";
import type { AttachableRoute } from "../model.js";
import type { UnresolvedReason } from "./findings.js";
import type { RouteContext } from "./scope.js";

/** Why a backendRef can't be used. */
export interface Unusable {
  readonly ok: false;
  readonly reason: UnresolvedReason;
  readonly message: string;
  /** Instead of the reason's. */
  readonly code?: DiagnosticCode;
}

export function unusable(reason: UnresolvedReason, message: string): Unusable {
  return { ok: false, reason, message };
}

export interface PortReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The port that the reference names, whether it is there or not: InvalidKind, RefNotPermitted. */
export function portReference(
  reference: BackendReference,
  route: AttachableRoute,
  context: Pick<RouteContext, "isGranted">,
): PortReference | Unusable {
  const { group = "", kind = "Service", name, port } = reference;
  if (group !== "" || kind !== "Service") {
    const what = group === "" ? kind : `${kind}.${group}`;
    return unusable("InvalidKind", `a ${what} can't be a backend, only a Service can`);
  }
  const { kind: from, metadata } = route;
  const { namespace = metadata.namespace } = reference;
  const to = { kind: "Service", namespace, name } as const;
  const isOwn = namespace === metadata.namespace;
  if (!isOwn && !context.isGranted(resourceRef(route), to)) {
    const message = `no ReferenceGrant in ${namespace} lets ${from}s of ${metadata.namespace} name Service ${name}`;
    return unusable("RefNotPermitted", message);
  }
  if (port === undefined) return unusable("BackendNotFound", "a Service needs a port");
  return { namespace, name, port };
}

/** Why a Service, or the lack of it, gives no backend. */
export function missing(
  { namespace, name, port }: PortReference,
  service: Service | undefined,
  transport: "TCP" | "UDP" = "TCP",
): Unusable {
  const subject = `Service ${namespace}/${name}`;
  if (service === undefined) return unusable("BackendNotFound", `there is no ${subject}`);
  if (isExternalName(service)) {
    return unusable("UnsupportedValue", `${subject} is of type ExternalName`);
  }
  const message = `${subject} has no ${transport} port ${String(port)}; it has ${portList(service, transport)}`;
  return unusable("BackendNotFound", message);
}
