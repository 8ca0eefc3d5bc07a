import type { ExternalAuthFilter } from "../../../api/gateway.js";
import type { AuthUrl, ExternalAuth } from "../../../model/auth.js";
import { MOST_HELD } from "../../../model/held-bodies.js";
import { filled } from "../../../support/json-object.js";
import type { AuthContext } from "../../auth/auth-context.js";
import { type ServicePort, findPort, isExternalName } from "../../backends.js";
import { parseHeaderName, uncopiedHeaders } from "../../http/headers.js";
import { type Place, within } from "../../place.js";
import { isReferenceGranted } from "../../reference-grants.js";
import { type Unusable, unusable } from "../destination.js";
import type { AuthRef, BackendPort, BackendTlsChoice } from "../model.js";

/**
 * Translates the ExternalAuth filter at `place` to an auth of the data plane (GEP-1494, by HTTP). It returns a reference that can't be
 * resolved, for the caller to report; any other problem makes an auth that closes what it protects.
 */
export function translateExternalAuth(
  filter: ExternalAuthFilter,
  place: Place,
  backendTls: (backend: BackendPort) => BackendTlsChoice,
  context: AuthContext,
): AuthRef {
  const service = findAuthService(filter, place, context);
  if (!service.ok) return service;
  reportLongBodies(filter, place, context);
  const tls = backendTls(service.backend);
  const invalid =
    tls.kind === "none"
      ? headersProblem(filter, place, context)
      : policyProblem(service.backend, place, context);
  const checks =
    invalid === undefined
      ? { external: { ...urlOf(service, filter, context), ...headersAndBody(filter) } }
      : { invalid };
  return { ok: true, auth: [context.auth.share(place, checks)] };
}

function reportLongBodies(
  { forwardBody: { maxSize = 0 } = {} }: ExternalAuthFilter,
  place: Place,
  { diagnostics }: AuthContext,
): void {
  if (maxSize <= MOST_HELD) return;
  const message = `maxSize is more than the ${String(MOST_HELD)} bytes that the gateway holds, and longer bodies get 413`;
  const at = within(place, "externalAuth", "forwardBody", "maxSize");
  const hint = `set maxSize to ${String(MOST_HELD)} or less`;
  diagnostics.report({ code: "AUTH_SETTING_WITHOUT_EFFECT", message, ...at, hint });
}

function policyProblem(
  { namespace, service }: BackendPort,
  place: Place,
  { diagnostics }: AuthContext,
): string {
  const message = `Service ${namespace}/${service} has a BackendTLSPolicy, which auth requests can't follow`;
  const hint = "name a port without a policy; auth services over TLS are checked by authTlsVerify";
  const at = within(place, "externalAuth", "backendRef");
  diagnostics.report({ code: "AUTH_UNSUPPORTED", message, ...at, hint });
  return message;
}

function headersProblem(
  { http }: ExternalAuthFilter,
  place: Place,
  { diagnostics }: AuthContext,
): string | undefined {
  const written = http?.allowedResponseHeaders ?? [];
  const at = within(place, "externalAuth", "http", "allowedResponseHeaders");
  // An empty list would mean all headers, which is not what the filter says.
  if (written.length > 0 && headerNames(written).length === 0) {
    const message = "allowedResponseHeaders has no usable name";
    const hint = "list a header of the answer; those of the connection are never copied";
    diagnostics.report({ code: "AUTH_CONFIG_INVALID", message, ...at, hint });
    return message;
  }
  const problems = uncopiedHeaders(written);
  if (problems === undefined) return undefined;
  const message = `allowedResponseHeaders ${problems}`;
  diagnostics.report({ code: "AUTH_SETTING_WITHOUT_EFFECT", message, ...at });
  return undefined;
}

function urlOf(
  { backend: { namespace, service: name, port }, tls }: { backend: BackendPort; tls: boolean },
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
    maxBody: Math.min(forwardBody.maxSize ?? 0, MOST_HELD),
  };
}

/** Lower case, each once, sorted. Headers of the connection and invalid names are never sent or copied. */
function headerNames(names: readonly string[]): readonly string[] {
  const usable = names.filter((name) => parseHeaderName(name).ok);
  return [...new Set(usable.map((name) => name.toLowerCase()))].sort();
}

/** `tls`: the port's appProtocol is https. Reports nothing. Without a ReferenceGrant the reason does not reveal which Services of another namespace exist. */
function findAuthService(
  { protocol, backendRef }: ExternalAuthFilter,
  { resource }: Place,
  { resources }: AuthContext,
): { readonly ok: true; readonly backend: BackendPort; readonly tls: boolean } | Unusable {
  if (protocol !== "HTTP") {
    const message = `external auth by ${protocol} is not supported; HTTP is`;
    return unusable("UnsupportedProtocol", message);
  }
  const { group = "", kind = "Service", name, namespace = resource.namespace, port } = backendRef;
  if (group !== "" || kind !== "Service") {
    const message = `a ${kind} can't be an auth service, only a Service can`;
    return unusable("InvalidKind", message);
  }
  const isOwn = namespace === resource.namespace;
  if (!isOwn && !isReferenceGranted(resources, resource, { kind: "Service", namespace, name })) {
    const who = `${resource.kind}s of ${resource.namespace}`;
    const message = `no ReferenceGrant in ${namespace} lets ${who} name Service ${name}`;
    return unusable("RefNotPermitted", message);
  }
  const found = findServicePort({ namespace, name, port }, resources);
  if (typeof found === "string") return unusable("BackendNotFound", found);
  const { name: portName, appProtocol } = found;
  return {
    ok: true,
    backend: {
      ...{ namespace, service: name, port: found.port },
      ...(portName !== undefined && { portName }),
    },
    tls: appProtocol?.toLowerCase() === "https",
  };
}

/** The port, or why there is none. */
function findServicePort(
  { namespace, name, port }: { namespace: string; name: string; port: number | undefined },
  resources: AuthContext["resources"],
): ServicePort | string {
  const shown = `Service ${namespace}/${name}`;
  const service = resources.get("Service", namespace, name);
  if (service === undefined) return `there is no ${shown}`;
  if (isExternalName(service)) return `${shown} is of type ExternalName`;
  if (port === undefined) return `a port of ${shown} must be named`;
  return findPort(service, port) ?? `${shown} has no TCP port ${String(port)}`;
}

/** A character that a path may hold as it is (RFC 3986, 3.3), or an octet that is already encoded. */
const LEGAL = /%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~!$&'()*+,;=:@/]/y;

/**
 * The prefix of an ExternalAuth filter, made safe to put before a request's path (Gateway API, HTTPAuthConfig.path, "MUST sanitize"). It
 * has no dot segments, repeated slashes or slash at its end, so it stays a prefix. Every other octet is encoded, so it can't end the path
 * or begin another request. Empty: no prefix.
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
