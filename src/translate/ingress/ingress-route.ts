import type { Backend, Route } from "../../model/route.js";
import type { BackendProtocol } from "../../model/upstream.js";
import type { CompileOptions } from "../../model/options.js";
import { filled } from "../../support/json-object.js";
import type { AuthContext } from "../auth/auth-policies.js";
import type { EntryPort } from "../load-balancer.js";
import { protocolOn } from "../load-balancer.js";
import type { Place } from "../place.js";
import { sourceRef, within } from "../place.js";
import { closedRule, invalidBackend, invalidRule } from "../reasons.js";
import { AnnotationReader } from "./annotation-reader.js";
import type { AnnotationLookup } from "./annotations/annotation-key.js";
import { readAction, readProtocol } from "./ingress-action.js";
import { ingressRedirect } from "./ingress-redirect.js";
import type { IngressScope } from "./ingress-scope.js";
import type { IngressBackend } from "./prepared-ingress.js";

/** A path, or a default backend, as far as its route depends on it. */
export interface RouteInput {
  /** Last part of the route's id, and of the id of its auth policy: `<rule>-<path>` or `default`. */
  readonly key: string;
  readonly place: Place;
  readonly lookup: AnnotationLookup;
  readonly backend: IngressBackend;
  readonly backendPlace: Place;
  readonly path: string;
  /** Whether the path is a pattern, whose captures rewrite-target may use. */
  readonly isRegex: boolean;
  readonly hasTls: boolean;
  /** The annotation that restricts access and is misspelt or not supported, if there is one. */
  readonly closedBy?: string;
  /** What keeps it from being done as written: `path`, or another field. */
  readonly invalid?: string;
}

/** What happens to the requests of a path on one port. */
export function ingressRoute(input: RouteInput, port: EntryPort, scope: IngressScope): Route {
  const { context, balancer } = scope;
  const { place, lookup } = input;
  const { inherited } = port;
  const { namespace, name } = place.resource;
  const reader = new AnnotationReader(lookup);
  const { https } = balancer.ingress;
  const redirect = ingressRedirect(reader, input.path, {
    hasTls: input.hasTls,
    ...(https && { https }),
    ...(inherited.schemeRedirect && { inherited: inherited.schemeRedirect }),
  });
  const action = readAction(reader, input.isRegex ? input.path : undefined, inherited);
  const protocol = readProtocol(reader, inherited);
  const refuse = refusalOf(input, reader, context.options) ?? inherited.closed;
  return {
    id: `ingress/${namespace}/${name}/${input.key}`,
    source: sourceRef(place),
    ...(refuse && { refuse }),
    ...(redirect && { redirect }),
    ...action,
    ...filled("auth", authOf(input, port, scope)),
    backends: [
      translateBackend(input.backend, input.backendPlace, protocolOn(port, protocol), context),
    ],
  };
}

function refusalOf(
  input: RouteInput,
  reader: AnnotationReader,
  { unsupportedRestrictions }: CompileOptions,
): Route["refuse"] {
  if (input.invalid !== undefined) return invalidRule(input.invalid);
  const malformed = unsupportedRestrictions === "close" ? reader.closedBy : undefined;
  const closedBy = malformed ?? input.closedBy;
  return closedBy === undefined ? undefined : closedRule(closedBy);
}

/** The Ingress's own auth, else what the port has; auth-enable: "false" is an auth of its own that checks nothing. */
function authOf(
  { key, lookup, place }: RouteInput,
  port: EntryPort,
  { context }: IngressScope,
): readonly string[] {
  const own = context.auth.fromAnnotations(lookup, { resource: place.resource, pathKey: key });
  if (own === undefined) return port.inherited.auth;
  return "disabled" in own ? [] : own.ids;
}

/** The one backend of a path; a Service that is missing answers 503 until it comes, any other kind of backend 500. */
function translateBackend(
  backend: IngressBackend,
  place: Place,
  protocol: BackendProtocol,
  context: AuthContext,
): Backend {
  const { service } = backend;
  const port = service?.port?.name ?? service?.port?.number;
  if (service === undefined || port === undefined) {
    const message =
      service === undefined ? "a resource can't be a backend" : "the backend names no port";
    context.diagnostics.report({ code: "BACKEND_INVALID", message, ...place });
    return { weight: 1, protocol, refuse: invalidBackend("backend is no Service port") };
  }
  const { namespace } = place.resource;
  const at = within(place, "service");
  const portPlace = within(at, "port", typeof port === "number" ? "number" : "name");
  const reference = { namespace, name: service.name, port };
  const upstream = context.backends.upstream(reference, at, portPlace);
  return { upstream, weight: 1, protocol };
}
