import { filled } from "../../../support/fields.js";
import type { ExternalAuthFilter } from "../../../api/gateway.js";
import type { DiagnosticCode } from "../../../diagnostics/catalog.js";
import { formatFieldPath } from "../../../diagnostics/field-path.js";
import type { AuthUrl, ExternalAuth } from "../../../model/auth.js";
import type { BuildContext } from "../../build-context.js";
import { parseHeaderName } from "../../auth/http-headers.js";
import type { Place } from "../../place.js";
import { sourceRef, within } from "../../place.js";
import type { BackendPort, BackendTlsChoice } from "../model.js";
import type { Refused } from "../verdict.js";
import { sanitizePrefix } from "./external-auth-path.js";
import type { AuthService } from "./external-auth-service.js";
import { findAuthService } from "./external-auth-service.js";
import type { AuthRef } from "./policies.js";

/** An ExternalAuth filter, and what it is translated with. */
export interface ExternalAuthInput {
  readonly filter: ExternalAuthFilter;
  /** Of the filter. */
  readonly place: Place;
  readonly context: BuildContext;
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
  const external = externalOf(filter);
  context.auth.add({
    id,
    source: sourceRef(place),
    ...(problem === undefined
      ? // The data plane asks with the request's own method.
        { forward: { ...urlOf(found.service, filter, context), method: "GET", external } }
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
  { backends, options }: BuildContext,
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

function externalOf({ http = {}, forwardBody = {} }: ExternalAuthFilter): ExternalAuth {
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
