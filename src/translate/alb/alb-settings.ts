import type { Alb2, Alb2Config } from "../../api/alb.js";
import type { TranslateContext } from "../context.js";
import type { SslStrategy } from "../load-balancer.js";
import type { Place } from "../place.js";
import { placeOf, within } from "../place.js";

/** Fields for the machinery around a data plane. */
const WITHOUT_EFFECT = ["networkMode", "replicas", "vip"] as const;
const NETWORK_MODES: ReadonlySet<string> = new Set(["host", "container"]);
const SSL_STRATEGIES: readonly SslStrategy[] = ["Always", "Never", "Request", "Both"];

export function configOf(alb: Alb2): Alb2Config {
  return alb.spec?.config ?? {};
}

/** Reports the settings of an ALB2 that are wrong or do nothing here. */
export function reportSettings(alb: Alb2, { diagnostics }: TranslateContext): void {
  const config = configOf(alb);
  const place = placeOf(alb, "spec", "config");
  for (const field of WITHOUT_EFFECT) {
    if (config[field] === undefined) continue;
    const message = `${field} has no effect on the data plane`;
    diagnostics.report({ code: "SETTING_WITHOUT_EFFECT", message, ...within(place, field) });
  }
  const reportIgnored = (field: string, message: string): void =>
    diagnostics.report({ code: "SETTING_IGNORED", message, ...within(place, field) });
  if (config.networkMode !== undefined && !NETWORK_MODES.has(config.networkMode)) {
    reportIgnored("networkMode", `${shown(config.networkMode)} is neither host nor container`);
  }
  if (config.replicas !== undefined && config.replicas < 0) {
    reportIgnored("replicas", `${String(config.replicas)} is no number of replicas`);
  }
  if (config.projects === undefined || config.projects.length === 0) {
    const message = "no project is named, so no Ingress is served";
    diagnostics.report({ code: "ALB_WITHOUT_PROJECTS", message, ...within(place, "projects") });
  }
}

/** When hosts without TLS are served by HTTPS too; undefined where the ALB2 does not say. */
export function sslStrategyOf(
  alb: Alb2,
  { diagnostics }: TranslateContext,
): SslStrategy | undefined {
  const text = configOf(alb).defaultSSLStrategy;
  if (text === undefined || text === "") return undefined;
  const strategy = SSL_STRATEGIES.find((known) => known === text);
  if (strategy !== undefined) return strategy;
  const place: Place = placeOf(alb, "spec", "config", "defaultSSLStrategy");
  const message = `${shown(text)} is none of ${SSL_STRATEGIES.join(", ")}`;
  diagnostics.report({ code: "SETTING_IGNORED", message, ...place });
  return undefined;
}

/** enableIngress is true unless it says false; the field is a boolean or its text. */
export function servesIngresses(alb: Alb2): boolean {
  return String(configOf(alb).enableIngress ?? true).toLowerCase() !== "false";
}

function shown(text: string): string {
  return JSON.stringify(text);
}
