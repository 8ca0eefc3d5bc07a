import type { Backend } from "../../model/route.js";
import type { BackendProtocol } from "../../model/upstream.js";
import type { BuildContext } from "../build-context.js";
import type { Place } from "../place.js";
import { within } from "../place.js";
import { invalidBackend } from "../reasons.js";
import type { IngressBackend } from "./prepared-ingress.js";

/** The one backend of a path; a Service that is missing answers 503 until it comes, any other kind of backend 500. */
export function translateBackend(
  backend: IngressBackend,
  place: Place,
  protocol: BackendProtocol,
  context: BuildContext,
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
