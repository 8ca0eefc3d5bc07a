import type { Frontend } from "../../api/alb.js";
import type { Redirect } from "../../model/filters.js";
import type { BackendProtocol } from "../../model/upstream.js";
import type { BuildContext } from "../build-context.js";
import type { Inherited } from "../entry-port.js";
import { placeOf } from "../place.js";
import { parseBackendProtocol } from "./backend-protocol.js";
import { overridden } from "./inheritance.js";
import { parseRedirect } from "./redirect.js";

const SERVED_PROTOCOLS: ReadonlySet<string> = new Set(["http", "https", "grpc"]);

/** What a Frontend gives to its routes; undefined, with a report, when its protocol is not served. */
export function frontendPort(
  frontend: Frontend,
  fromAlb: Inherited,
  context: BuildContext,
): Inherited | undefined {
  const { spec } = frontend;
  const protocol = spec.protocol ?? "http";
  if (!SERVED_PROTOCOLS.has(protocol)) {
    const message = `protocol ${JSON.stringify(protocol)} is not served, only http, https and grpc`;
    const place = placeOf(frontend, "spec", "protocol");
    context.diagnostics.report({ code: "PROTOCOL_UNSUPPORTED", message, ...place });
    return undefined;
  }
  const inherited = overridden(fromAlb, frontend, spec.config, context);
  return { ...inherited, protocol: backendProtocolOf(frontend, protocol, context) };
}

function backendProtocolOf(
  frontend: Frontend,
  protocol: string,
  { diagnostics }: BuildContext,
): BackendProtocol {
  const text = frontend.spec.backendProtocol ?? "";
  const standard = protocol === "grpc" ? "grpc" : "http";
  if (text === "") return standard;
  const parsed = parseBackendProtocol(text);
  if (parsed.ok) return parsed.value;
  const place = placeOf(frontend, "spec", "backendProtocol");
  diagnostics.report({ code: "SETTING_IGNORED", message: parsed.problem, ...place });
  return standard;
}

/** A Frontend's redirect; one that is wrong is reported and not done. */
export function frontendRedirect(
  frontend: Frontend,
  { diagnostics }: BuildContext,
): Redirect | undefined {
  const spec = frontend.spec.config?.redirect;
  if (spec === undefined) return undefined;
  const redirect = parseRedirect(spec);
  if (redirect.ok) return redirect.value;
  const place = placeOf(frontend, "spec", "config", "redirect");
  diagnostics.report({ code: "SETTING_IGNORED", message: redirect.problem, ...place });
  return undefined;
}
