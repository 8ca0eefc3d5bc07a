import type { Alb2, Frontend } from "../../api/alb.js";
import type { ResourceRef } from "../../diagnostics/diagnostic.js";
import type { Redirect } from "../../model/filters.js";
import type { BackendProtocol } from "../../model/upstream.js";
import type { AuthContext } from "../auth/auth-policies.js";
import type { TranslateContext } from "../context.js";
import type { Inherited } from "../load-balancer.js";
import { placeOf, resourceRef } from "../place.js";
import { albNameOf, mayName } from "./alb-settings.js";
import { overridden, parseBackendProtocol } from "./inheritance.js";
import { parseRedirect } from "./redirect.js";

const SERVED_PROTOCOLS: ReadonlySet<string> = new Set(["http", "https", "grpc"]);

/** What a Frontend gives to its routes; undefined, with a report, when its protocol is not served. */
export function frontendPort(
  frontend: Frontend,
  fromAlb: Inherited,
  context: AuthContext,
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
  { diagnostics }: AuthContext,
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
  { diagnostics }: AuthContext,
): Redirect | undefined {
  const spec = frontend.spec.config?.redirect;
  if (spec === undefined) return undefined;
  const redirect = parseRedirect(spec);
  if (redirect.ok) return redirect.value;
  const place = placeOf(frontend, "spec", "config", "redirect");
  diagnostics.report({ code: "SETTING_IGNORED", message: redirect.problem, ...place });
  return undefined;
}

/** Names that the origin gives to Frontends, `<alb>-<port>` with five digits, and that people give. */
const NAME_WITH_PORT = /^(.+)-(\d{1,5})$/;

/**
 * A Frontend that can't be read, or whose label of its ALB2 is missing or misspelt, and that may be for a port that an ALB2 has for its Ingresses. It may
 * hold auth for them, so without it nothing of the port may be served.
 */
export function refusedFrontendFor(
  alb: Alb2,
  port: number,
  { resources, options }: TranslateContext,
): ResourceRef | undefined {
  const { namespace, name } = alb.metadata;
  const mayBeOf = (frontend: Frontend): boolean => {
    const label = albNameOf(frontend, options.domains);
    const isOther = label !== undefined && resources.get("ALB2", namespace, label) !== undefined;
    return !isOther && mayName(label, name);
  };
  const stray = resources
    .list("Frontend")
    .find(
      (frontend) =>
        frontend.metadata.namespace === namespace &&
        frontend.spec.port === port &&
        mayBeOf(frontend),
    );
  return (
    (stray && resourceRef(stray)) ??
    resources.refused.find(
      (refused) =>
        refused.kind === "Frontend" &&
        refused.namespace === namespace &&
        mayBeFor(refused.name, alb, port, resources),
    )
  );
}

/** Any other name, or one of an ALB2 that does not exist, says nothing of the port. */
function mayBeFor(
  name: string,
  alb: Alb2,
  port: number,
  resources: TranslateContext["resources"],
): boolean {
  const [, owner, digits] = NAME_WITH_PORT.exec(name) ?? [];
  const { namespace } = alb.metadata;
  if (owner === undefined || resources.get("ALB2", namespace, owner) === undefined) return true;
  return owner === alb.metadata.name && Number(digits) === port;
}
