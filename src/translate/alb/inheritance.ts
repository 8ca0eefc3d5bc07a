import type { Alb2, Frontend, RoutingConfig, Rule } from "../../api/alb.js";
import type { BackendProtocol, Refusal } from "../../model/upstream.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import type { AuthContext } from "../auth/auth-policies.js";
import type { Inherited } from "../load-balancer.js";
import { NOTHING_INHERITED } from "../load-balancer.js";
import type { Place } from "../place.js";
import { placeOf, within } from "../place.js";
import { closedRule, unsupportedRestriction } from "../reasons.js";
import { timeoutsOf } from "./timeouts.js";

/** The settings that ALB2, Frontend and Rule share. */
type SharedConfig = Omit<RoutingConfig, "redirect">;

/** Extensions of the origin that do not exist here and only tune. */
const UNSUPPORTED = ["otel", "keepalive"] as const;

/** What an ALB2 gives to its ports. */
export function inheritedFromAlb(alb: Alb2, context: AuthContext): Inherited {
  return overridden(NOTHING_INHERITED, alb, alb.spec?.config, context);
}

/**
 * `inherited` with what `owner` says itself: whole objects by presence, never merged by field, so that `auth: {}` switches auth off.
 * Source: specification, inheritance of auth.
 */
export function overridden(
  inherited: Inherited,
  owner: Alb2 | Frontend | Rule,
  config: SharedConfig | undefined,
  context: AuthContext,
): Inherited {
  const place = placeOf(owner, "spec", "config");
  for (const field of UNSUPPORTED) {
    if (config?.[field] === undefined) continue;
    const message = `${field} is not supported and has no effect`;
    context.diagnostics.report({ code: "SETTING_UNSUPPORTED", message, ...within(place, field) });
  }
  const closed = firewallRefusal(inherited, place, config, context);
  const auth =
    config?.auth &&
    context.auth.fromObject(config.auth, {
      resource: place.resource,
      field: [...place.field, "auth"],
      operator: true,
    });
  const timeouts =
    config?.timeout &&
    timeoutsOf(config.timeout, placeOf(owner, "spec", "config", "timeout"), context);
  const { closed: _, ...rest } = inherited;
  return {
    ...rest,
    ...(closed && { closed }),
    ...(auth && { auth }),
    ...(timeouts && { timeouts }),
  };
}

/** What the routes of an owner answer that has, or inherits, a firewall: there is none here that could inspect their requests. */
function firewallRefusal(
  inherited: Inherited,
  place: Place,
  config: SharedConfig | undefined,
  { options, diagnostics }: AuthContext,
): Refusal | undefined {
  const firewall = config?.modsecurity;
  if (firewall === undefined) return inherited.closed;
  const at = within(place, "modsecurity");
  const what = "modsecurity has no effect: there is no web application firewall.";
  if (!isEnabled(firewall)) {
    diagnostics.report({ code: "SETTING_UNSUPPORTED", message: what, ...at });
    return undefined;
  }
  diagnostics.report({ ...unsupportedRestriction(what, options), ...at });
  return options.unsupportedRestrictions === "close" ? closedRule("modsecurity") : undefined;
}

/** The object is off unless `enable` says otherwise; whatever can't be read as off may be meant to be on. */
function isEnabled(firewall: unknown): boolean {
  const enable: unknown =
    typeof firewall === "object" && firewall !== null && "enable" in firewall
      ? firewall.enable
      : undefined;
  return enable !== undefined && enable !== null && enable !== false && enable !== "false";
}

const PROTOCOLS: readonly BackendProtocol[] = ["http", "https", "grpc", "grpcs"];

/** Case doesn't count. */
export function parseBackendProtocol(text: string): Result<BackendProtocol> {
  const protocol = PROTOCOLS.find((known) => known === text.trim().toLowerCase());
  if (protocol !== undefined) return ok(protocol);
  return problem(`${JSON.stringify(text)} is none of ${PROTOCOLS.join(", ")}`);
}
