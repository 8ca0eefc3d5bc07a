import type { ExternalAuthFilter } from "../../../api/gateway.js";
import type { DiagnosticCode } from "../../../diagnostics/catalog.js";
import { formatFieldPath } from "../../../diagnostics/diagnostic.js";
import type { RoutingResources } from "../../../input/resources.js";
import type { AuthUrl, ExternalAuth } from "../../../model/auth.js";
import { filled } from "../../../support/json-object.js";
import { parseHeaderName } from "../../auth/http-headers.js";
import { findPort, isExternalName } from "../../backends.js";
import type { AuthContext } from "../../auth/auth-policies.js";
import type { Place } from "../../place.js";
import { sourceRef, within } from "../../place.js";
import { isReferenceGranted } from "../../reference-grants.js";
import type { BackendPort, BackendTlsChoice } from "../model.js";
import type { Refused } from "../verdict.js";
import type { AuthRef } from "../policies.js";

/** An ExternalAuth filter, and what it is translated with. */
interface ExternalAuthInput {
  readonly filter: ExternalAuthFilter;
  /** Of the filter. */
  readonly place: Place;
  readonly context: AuthContext;
  readonly backendTls: (backend: BackendPort) => BackendTlsChoice;
  readonly unresolved: (refused: Refused & { readonly reason: UnresolvedReason }) => AuthRef;
}

type UnresolvedReason = Extract<AuthRef, { ok: false }>["reason"];

/**
 * An auth of the data plane for the filter (GEP-1494, by HTTP). A reference that can't be resolved is for the route to answer;
 * anything else that is wrong makes an auth that closes what it protects.
 */
export function translateExternalAuth(input: ExternalAuthInput): AuthRef {
  const { filter, place, context } = input;
  const found = findAuthService(filter, place, context);
  if (!found.ok) return input.unresolved(found);
  const { kind, namespace, name } = place.resource;
  const id = `${kind.toLowerCase()}/${namespace}/${name}/${formatFieldPath(place.field)}`;
  const problem = problemOf(input, found.service);
  context.auth.add({
    id,
    source: sourceRef(place),
    ...(problem === undefined
      ? { external: { ...urlOf(found.service, filter, context), ...headersAndBody(filter) } }
      : { invalid: problem }),
  });
  return { ok: true, auth: [id] };
}

/** What closes the rule, reported. */
function problemOf(input: ExternalAuthInput, service: AuthService): string | undefined {
  const { filter, place, context } = input;
  const { namespace, name } = service;
  const report = (code: DiagnosticCode, message: string, at: Place, hint: string): string => {
    context.diagnostics.report({ code, message, ...at, hint });
    return message;
  };
  const tls = input.backendTls({
    namespace,
    service: name,
    port: service.port,
    ...(service.portName !== undefined && { portName: service.portName }),
  });
  if (tls.kind !== "none") {
    const message = `Service ${namespace}/${name} has a BackendTLSPolicy, which auth requests can't follow`;
    const hint =
      "name a port without a policy; auth services over TLS are checked by authTlsVerify";
    return report("AUTH_UNSUPPORTED", message, within(place, "externalAuth", "backendRef"), hint);
  }
  const written = filter.http?.allowedResponseHeaders ?? [];
  if (written.length > 0 && headerNames(written).length === 0) {
    const at = within(place, "externalAuth", "http", "allowedResponseHeaders");
    // An empty list means all of them, which is not what was written.
    const hint = "list a header of the answer; those of the connection are never copied";
    return report("AUTH_CONFIG_INVALID", "allowedResponseHeaders has no usable name", at, hint);
  }
  return undefined;
}

function urlOf(
  { namespace, name, port, tls }: AuthService,
  filter: ExternalAuthFilter,
  { backends, options }: AuthContext,
): AuthUrl {
  const prefix = sanitizePrefix(filter.http?.path ?? "");
  return {
    scheme: tls ? "https" : "http",
    host: [`${name}.${namespace}.svc.${options.clusterDomain}`],
    port: [String(port)],
    target: prefix === "" ? [] : [prefix],
    upstream: backends.add({ namespace, name, port }),
  };
}

function headersAndBody({
  http = {},
  forwardBody = {},
}: ExternalAuthFilter): Omit<ExternalAuth, keyof AuthUrl> {
  return {
    ...filled("headers", headerNames(http.allowedHeaders ?? [])),
    ...filled("responseHeaders", headerNames(http.allowedResponseHeaders ?? [])),
    maxBody: forwardBody.maxSize ?? 0,
  };
}

/** Lower case, each once, sorted; those of the connection and what is no name are never sent or copied. */
function headerNames(names: readonly string[]): readonly string[] {
  const usable = names.filter((name) => parseHeaderName(name).ok);
  return [...new Set(usable.map((name) => name.toLowerCase()))].sort();
}

/** The port of a Service that decides. */
interface AuthService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly portName?: string;
  /** By the port's appProtocol. */
  readonly tls: boolean;
}

type FoundAuthService =
  | { readonly ok: true; readonly service: AuthService }
  | {
      readonly ok: false;
      readonly reason:
        "InvalidKind" | "BackendNotFound" | "RefNotPermitted" | "UnsupportedProtocol";
      readonly message: string;
    };

type Failed = Extract<FoundAuthService, { ok: false }>;

/** Reports nothing. Without a ReferenceGrant nobody learns which Services of another namespace exist. */
function findAuthService(
  { protocol, backendRef }: ExternalAuthFilter,
  { resource }: Place,
  { resources }: AuthContext,
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

/** Characters of a path (RFC 3986, 3.3) that stand for themselves, and octets that are encoded already. */
const LEGAL = /%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~!$&'()*+,;=:@/]/y;

/**
 * The prefix of an ExternalAuth filter as it can stand before a request's path: without a slash at its end, dot segments and
 * repeated slashes removed, so that it stays a prefix, and every other octet encoded, so that it can't end the path or begin another
 * request. Empty: no prefix. Source: Gateway API, HTTPAuthConfig.path, "MUST sanitize".
 */
export function sanitizePrefix(path: string): string {
  const segments: string[] = [];
  for (const segment of encode(path).split("/")) {
    if (segment === "" || isDot(segment, 1)) continue;
    if (isDot(segment, 2)) segments.pop();
    else segments.push(segment);
  }
  return segments.map((segment) => `/${segment}`).join("");
}

/** Dots may be written encoded. */
function isDot(segment: string, count: number): boolean {
  return segment.replaceAll(/%2e/gi, ".") === ".".repeat(count);
}

function encode(text: string): string {
  let encoded = "";
  let position = 0;
  while (position < text.length) {
    LEGAL.lastIndex = position;
    const legal = LEGAL.exec(text)?.[0];
    const taken = legal ?? String.fromCodePoint(text.codePointAt(position) ?? 0);
    encoded += legal ?? octets(taken);
    position += taken.length;
  }
  return encoded;
}

function octets(character: string): string {
  return [...Buffer.from(character, "utf8")]
    .map((octet) => `%${octet.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}
