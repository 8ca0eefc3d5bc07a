import type { BackendReference } from "../../../api/gateway.js";
import type { Service } from "../../../api/wire.js";
import type { ServicePort } from "../../backends.js";
import type { BackendProtocol, Refusal } from "../../../model/upstream.js";
import { findPort, isExternalName } from "../../backends.js";
import { placeOf } from "../../place.js";
import type { Place } from "../../place.js";
import { invalidBackend } from "../../reasons.js";
import type { BackendTlsChoice } from "../model.js";
import {
  backendProtocol,
  missingPort,
  portReference,
  speaksHttp2,
  unusable,
} from "./port-reference.js";
import type { PortReference, Unusable } from "./port-reference.js";
import { isGrpcRoute } from "./scope.js";
import type { RouteContext, RuleScope } from "./scope.js";

/** Where requests are sent, or why they can't be. */
export type Destination =
  | {
      readonly ok: true;
      /** Id. */
      readonly upstream: string;
      readonly protocol: BackendProtocol;
      /** Id of the verified TLS. */
      readonly tls?: string;
    }
  | { readonly ok: false; readonly refuse: Refusal };

/** The Service port that a reference names. What is wrong with it is reported, and said in the condition ResolvedRefs. */
export function destinationOf(
  reference: BackendReference,
  place: Place,
  scope: RuleScope,
): Destination {
  const found = findDestination(reference, scope);
  if (found.ok || "refuse" in found) return found;
  scope.findings.unresolvable(found.reason, found.message, place, found.code);
  return { ok: false, refuse: invalidBackend(found.reason) };
}

function findDestination(reference: BackendReference, scope: RuleScope): Destination | Unusable {
  const port = portReference(reference, scope.route, scope.context);
  return "ok" in port ? port : servicePortDestination(port, scope);
}

function servicePortDestination(
  reference: PortReference,
  { route, gateways, policies, context }: RuleScope,
): Destination | Unusable {
  const { namespace, name, port } = reference;
  const service = context.service(namespace, name);
  const servicePort = service && findPort(service, port);
  const portName = servicePort?.name;
  const written = backendProtocol(servicePort?.appProtocol, isGrpcRoute(route), false);
  const backend = {
    namespace,
    service: name,
    port,
    ...(portName !== undefined && { portName }),
    tls: written === "https" || written === "grpcs",
  };
  // Asked for Services that are not there, too: the policy's status names the Gateway.
  const tls = policies.backendTls(gateways, backend);
  if (service === undefined || servicePort === undefined || isExternalName(service)) {
    return missingPort(reference, service);
  }
  if (tls.kind === "refused") return { ok: false, refuse: tls.refuse };
  const spoken = protocolOf(reference, servicePort.appProtocol, tls, route);
  if (typeof spoken !== "string") return spoken;
  reportClearText(spoken, service, servicePort, context);
  const upstream = context.addBackend(reference);
  return { ok: true, upstream, protocol: spoken, ...(tls.kind === "tls" && { tls: tls.id }) };
}

function reportClearText(
  spoken: BackendProtocol,
  service: Service,
  port: ServicePort,
  { diagnostics }: RouteContext,
): void {
  if (spoken !== "https" || !speaksHttp2(port.appProtocol)) return;
  const index = service.spec?.ports?.indexOf(port) ?? 0;
  const message = `${port.appProtocol ?? ""} is clear text; a BackendTLSPolicy has this port spoken to over TLS, by HTTP/1.1`;
  const place = placeOf(service, "spec", "ports", index, "appProtocol");
  diagnostics.report({ code: "SETTING_UNSUPPORTED", message, ...place });
}

function protocolOf(
  { namespace, name, port }: PortReference,
  appProtocol: string | undefined,
  tls: BackendTlsChoice,
  route: RuleScope["route"],
): BackendProtocol | Unusable {
  const protocol = backendProtocol(appProtocol, isGrpcRoute(route), tls.kind === "tls");
  if (protocol === undefined) {
    const message = `port ${String(port)} of Service ${namespace}/${name} has the appProtocol ${JSON.stringify(appProtocol)}, which ${route.kind}s can't speak`;
    return unusable("UnsupportedProtocol", message);
  }
  if (protocol === "grpcs" && tls.kind === "tls" && tls.hasNames === true) {
    const message = `the BackendTLSPolicy of Service ${namespace}/${name} has subjectAltNames, which can't be checked over gRPC`;
    return { ...unusable("UnsupportedProtocol", message), code: "ROUTE_BACKEND_TLS_NAMES" };
  }
  return protocol;
}
