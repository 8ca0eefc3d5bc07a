import type { Alb2, Alb2Config, Rule } from "../../api/alb.js";
import type { Ingress, KubernetesObject } from "../../api/wire.js";
import type { Domains } from "../../model/options.js";
import { isNear } from "../../support/did-you-mean.js";
import { own } from "../../support/json-object.js";
import type { TranslateContext } from "../context.js";
import { ingressClassOf } from "../ingress/ingress-class.js";
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

/** The ALB2 that a Frontend or Rule belongs to: one of that name in its own namespace. */
export function albNameOf(object: KubernetesObject, { labels }: Domains): string | undefined {
  return own(object.metadata.labels, `alb2.${labels}/name`);
}

/** The Frontend that a Rule belongs to, in its own namespace. */
export function frontendNameOf(object: KubernetesObject, { labels }: Domains): string | undefined {
  return own(object.metadata.labels, `alb2.${labels}/frontend`);
}

/** The origin's controller made the Rule of an Ingress. */
export function isGenerated({ metadata, spec: { source } }: Rule, { labels }: Domains): boolean {
  return [own(metadata.labels, `alb2.${labels}/source-type`), source?.type].includes("ingress");
}

/** Whether a label may be meant to be the name: it is missing, or has one or two wrong letters (isNear). With another number it means another. */
export function mayName(label: string | undefined, name: string): boolean {
  return label === undefined || (isNear(label, name) && numberIn(label) === numberIn(name));
}

/** Its digits; leading zeros say nothing. */
export function numberIn(text: string): string {
  return text.replaceAll(/\D/g, "").replace(/^0+/, "");
}

/** The project of a namespace. */
function projectOf(object: KubernetesObject, { labels }: Domains): string | undefined {
  return own(object.metadata.labels, `${labels}/project`);
}

/** Every project, and namespaces that belong to none. */
const ALL_PROJECTS = "ALL_ALL";

/** An ALB2 serves the Ingresses of its projects' namespaces whose class is its name, or that have none. */
export function selectsByProject(
  alb: Alb2,
  { resources, options }: TranslateContext,
): (ingress: Ingress) => boolean {
  if (!servesIngresses(alb)) return () => false;
  const projects = new Set(configOf(alb).projects ?? []);
  const all = projects.has(ALL_PROJECTS);
  const isOurs = (namespace: string): boolean => {
    if (all) return true;
    const object = resources.get("Namespace", "", namespace);
    const project = object === undefined ? undefined : projectOf(object, options.domains);
    return project !== undefined && project !== "" && projects.has(project);
  };
  return (ingress) => {
    const name = ingressClassOf(ingress);
    return (name === undefined || name === alb.metadata.name) && isOurs(ingress.metadata.namespace);
  };
}
