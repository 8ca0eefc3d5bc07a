import type { Alb2, Frontend, RoutingConfig, Rule } from "../../api/alb.js";
import type { BuildContext } from "../build-context.js";
import type { Inherited } from "../entry-port.js";
import { NOTHING_INHERITED } from "../entry-port.js";
import { placeOf, within } from "../place.js";
import { timeoutsOf } from "./timeouts.js";

/** The settings that ALB2, Frontend and Rule share. */
type SharedConfig = Omit<RoutingConfig, "redirect">;

/** Extensions of the origin that do not exist here; that there is none is worth knowing, above all of the firewall. */
const UNSUPPORTED = ["modsecurity", "otel", "keepalive"] as const;

/** What an ALB2 gives to its ports. */
export function inheritedFromAlb(alb: Alb2, context: BuildContext): Inherited {
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
  context: BuildContext,
): Inherited {
  const place = placeOf(owner, "spec", "config");
  for (const field of UNSUPPORTED) {
    if (config?.[field] === undefined) continue;
    const message = `${field} is not supported and has no effect`;
    context.diagnostics.report({ code: "SETTING_UNSUPPORTED", message, ...within(place, field) });
  }
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
  return { ...inherited, ...(auth && { auth }), ...(timeouts && { timeouts }) };
}
