import type { ExternalAuthFilter } from "../../../api/gateway.js";
import { findPort, isExternalName } from "../../backends.js";
import type { RoutingResources } from "../../../input/resources.js";
import type { BuildContext } from "../../build-context.js";
import type { Place } from "../../place.js";
import { isReferenceGranted } from "../../reference-grants.js";

/** The port of a Service that decides. */
export interface AuthService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly portName?: string;
  /** By the port's appProtocol. */
  readonly tls: boolean;
}

export type FoundAuthService =
  | { readonly ok: true; readonly service: AuthService }
  | {
      readonly ok: false;
      readonly reason:
        "InvalidKind" | "BackendNotFound" | "RefNotPermitted" | "UnsupportedProtocol";
      readonly message: string;
    };

type Failed = Extract<FoundAuthService, { ok: false }>;

/** Reports nothing. Without a ReferenceGrant nobody learns which Services of another namespace exist. */
export function findAuthService(
  { protocol, backendRef }: ExternalAuthFilter,
  { resource }: Place,
  { resources }: BuildContext,
): FoundAuthService {
  if (protocol !== "HTTP") {
    return failed("UnsupportedProtocol", `external auth by ${protocol} is not supported; HTTP is`);
  }
  const { group = "", kind = "Service", name, namespace = resource.namespace, port } = backendRef;
  if (group !== "" || kind !== "Service") {
    return failed("InvalidKind", `a ${kind} can't be an auth service, only a Service can`);
  }
  const isOwn = namespace === resource.namespace;
  if (!isOwn && !isReferenceGranted(resources, resource, { kind: "Service", namespace, name })) {
    const who = `${resource.kind}s of ${resource.namespace}`;
    const message = `no ReferenceGrant in ${namespace} lets ${who} name Service ${name}`;
    return failed("RefNotPermitted", message);
  }
  return findServicePort(namespace, name, port, resources);
}

function findServicePort(
  namespace: string,
  name: string,
  port: number | undefined,
  resources: RoutingResources,
): FoundAuthService {
  const shown = `Service ${namespace}/${name}`;
  const service = resources.get("Service", namespace, name);
  if (service === undefined) return failed("BackendNotFound", `there is no ${shown}`);
  if (isExternalName(service)) return failed("BackendNotFound", `${shown} is of type ExternalName`);
  if (port === undefined) return failed("BackendNotFound", `a port of ${shown} must be named`);
  const found = findPort(service, port);
  if (found === undefined) {
    return failed("BackendNotFound", `${shown} has no TCP port ${String(port)}`);
  }
  return {
    ok: true,
    service: {
      namespace,
      name,
      port: found.port,
      ...(found.name !== undefined && { portName: found.name }),
      tls: found.appProtocol?.toLowerCase() === "https",
    },
  };
}

function failed(reason: Failed["reason"], message: string): Failed {
  return { ok: false, reason, message };
}
