import { formatFieldPath } from "../../diagnostics/diagnostic.js";
import type { Backend, Route, Timeouts } from "../../model/route.js";
import type { BackendProtocol } from "../../model/upstream.js";
import { SHARED_SHAPE, filled, present } from "../../support/json-object.js";
import type { AuthContext } from "../auth/auth-context.js";
import { ingressPort } from "../backends.js";
import { type EntryPort, protocolOn } from "../load-balancer.js";
import { NO_GROUPS, regexGroups } from "../pattern/regex.js";
import { type Place, annotationField, sourceRef, within } from "../place.js";
import { NO_RULE, closedRule, invalidBackend, invalidRule } from "../reasons.js";
import {
  type AnnotationLookup,
  AnnotationReader,
  type Closer,
} from "./annotations/annotation-reader.js";
import { readAffinity } from "./annotations/affinity.js";
import { BACKEND_ROWS, isByService, readBackend, readProtocol } from "./annotations/backend.js";
import { readCors } from "./annotations/cors.js";
import { readTraceRate } from "./annotations/observability.js";
import { readErrorPages } from "./annotations/error-pages.js";
import { readLimits } from "./annotations/limits.js";
import { readRedirect } from "./annotations/redirect.js";
import { readAccess, readRewrite } from "./annotations/routing.js";
import { readSnippets } from "./snippets/snippets.js";
import type { IngressPath, IngressScope } from "./ingress-scope.js";

/** `closers`: fields of its Ingress that close it. */
export interface ClosableRoute {
  readonly route: Route;
  readonly closers: readonly string[];
}

/** What happens to the requests of a path, or of a default backend, on one port. */
export function ingressRoute(
  input: Pick<IngressPath, "place" | "lookup" | "path"> & {
    /** Undefined: what no redirect answers gets 404. */
    readonly backend: IngressPath["backend"] | undefined;
    /** Last part of the route's id, and of the id of its auth policy: `<rule>-<path>` or `default`. */
    readonly key: string;
    readonly backendPlace: Place;
    /** The path is a pattern. */
    readonly isRegex: boolean;
    readonly hasTls: boolean;
    readonly closedBy: readonly Closer[];
    /** What keeps it from being done as written: `path`, or another field. */
    readonly invalid: string | undefined;
  },
  port: EntryPort,
  { context, balancer }: IngressScope,
): ClosableRoute {
  const { key, place, lookup, path, hasTls, isRegex } = input;
  const { inherited } = port;
  const { namespace, name } = place.resource;
  const reader = new AnnotationReader(lookup);
  const httpsPort = balancer.ingress.https?.port;
  const groups = isRegex ? regexGroups(path) : NO_GROUPS;
  const at = { path, groups, hasTls, httpsPort, inherited: inherited.schemeRedirect };
  const annotated = {
    ...SHARED_SHAPE,
    ...readRedirect(reader, at),
    ...readCors(reader),
    ...readSnippets(lookup, context.options, readAccess(reader)),
    ...readTraffic(reader, input, inherited.timeouts),
    ...(isRegex && readRewrite(reader, path, groups)),
    ...readErrorPages(pageAnnotations(reader, lookup, place), context),
  };
  const protocol = protocolOn(port, readProtocol(reader) ?? inherited.protocol);
  const byService = isByService(reader);
  const isClosing = context.options.unsupportedRestrictions === "close";
  const closers = [...(isClosing ? reader.closers : []), ...input.closedBy];
  const [closer] = closers;
  const refuse = refusalBy(input.invalid, closer) ?? inherited.closed;
  const auth = context.auth.fromAnnotations(lookup, place.resource);
  const route = {
    id: `ingress/${namespace}/${name}/${key}`,
    source: sourceRef(place),
    ...present("refuse", refuse),
    ...annotated,
    ...filled("auth", auth ?? inherited.auth),
    backends: [
      translateBackend(input.backend, input.backendPlace, { protocol, byService }, context),
    ],
  };
  return { route, closers: [...invalidFields(input), ...closers.map(({ field }) => field)] };
}

/** How many requests a path takes, and how they reach the backend. */
function readTraffic(
  reader: AnnotationReader,
  { path, place }: Pick<IngressPath, "path" | "place">,
  timeouts: Timeouts,
): Partial<Route> {
  return {
    ...readLimits(reader, place.resource),
    ...readBackend(reader, timeouts),
    ...readAffinity(reader, path),
    ...present("outageErrors", reader.get(BACKEND_ROWS.outageErrors)),
    ...readTraceRate(reader),
  };
}

function refusalBy(invalid: string | undefined, closer: Closer | undefined): Route["refuse"] {
  return invalid === undefined ? closer && closedRule(closer.name) : invalidRule(invalid);
}

/** `invalid` is a field of the path, or of the Ingress. */
function invalidFields({
  invalid,
  place,
}: Pick<Parameters<typeof ingressRoute>[0], "invalid" | "place">): readonly string[] {
  return invalid === undefined ? [] : [invalid, `${formatFieldPath(place.field)}.${invalid}`];
}

/** The one backend of a path; a Service that is missing answers 503 until it comes, any other kind of backend 500. */
function translateBackend(
  backend: IngressPath["backend"] | undefined,
  place: Place,
  { protocol, byService }: { readonly protocol: BackendProtocol; readonly byService: boolean },
  context: AuthContext,
): Backend {
  if (backend === undefined) return { weight: 1, protocol, refuse: NO_RULE };
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
  const found = context.resources.get("Service", namespace, service.name);
  const reference = {
    ...{ namespace, name: service.name, port: ingressPort(found, port) },
    ...(byService && { byService }),
  };
  const upstream = context.backends.upstream(reference, at, portPlace);
  return { upstream, weight: 1, protocol };
}

function pageAnnotations(
  reader: AnnotationReader,
  lookup: AnnotationLookup,
  { resource }: Place,
): Parameters<typeof readErrorPages>[0] {
  return {
    get: (row) => reader.get(row),
    place: (row) => ({ resource, field: annotationField(lookup.find(row)?.key ?? "") }),
    namespace: resource.namespace,
    isIngress: true,
  };
}
