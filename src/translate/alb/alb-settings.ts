import { type Alb2, type Alb2Config, type Frontend, ORIGIN_FIELDS } from "../../api/alb.js";
import type { Ingress } from "../../api/wire.js";
import { own } from "../../support/json-object.js";
import type { TranslateContext } from "../context.js";
import { ingressClassOf } from "../ingress/ingress-class.js";
import type { LoadBalancer, SslStrategy } from "../load-balancer.js";
import { placeOf, within } from "../place.js";

const SSL_STRATEGIES: readonly SslStrategy[] = ["Always", "Never", "Request", "Both"];

export function configOf(alb: Alb2): Alb2Config {
  return alb.spec?.config ?? {};
}

/** What a Frontend passes on unread; undefined: it is for requests. */
export function transportOf({ spec: { protocol } }: Frontend): "tcp" | "udp" | undefined {
  return protocol === "tcp" || protocol === "udp" ? protocol : undefined;
}

/** Reports the settings of an ALB2 that are invalid or have no effect here. */
export function reportSettings(alb: Alb2, context: TranslateContext): void {
  const { diagnostics } = context;
  const config = configOf(alb);
  const place = placeOf(alb, "spec", "config");
  for (const field of ORIGIN_FIELDS) {
    if (!Object.hasOwn(config, field)) continue;
    const message = `${field} has no effect on the data plane`;
    diagnostics.report({ code: "SETTING_WITHOUT_EFFECT", message, ...within(place, field) });
  }
  const { networkMode = "host", replicas = 0, projects = [] } = config;
  if (networkMode !== "host" && networkMode !== "container") {
    const message = `${JSON.stringify(networkMode)} is neither host nor container`;
    reportIgnored(alb, "networkMode", message, context);
  }
  if (replicas < 0) {
    reportIgnored(alb, "replicas", `${String(replicas)} is not a number of replicas`, context);
  }
  if (projects.length === 0) {
    const message = "no project is named, so no Ingress is served";
    diagnostics.report({ code: "ALB_WITHOUT_PROJECTS", message, ...within(place, "projects") });
  }
}

function reportIgnored(
  alb: Alb2,
  field: keyof Alb2Config,
  message: string,
  { diagnostics }: TranslateContext,
): void {
  const place = placeOf(alb, "spec", "config", field);
  diagnostics.report({ code: "SETTING_IGNORED", message, ...place });
}

/** When hosts without TLS are also served over HTTPS; undefined if the ALB2 does not say. */
export function sslStrategyOf(alb: Alb2, context: TranslateContext): SslStrategy | undefined {
  const { defaultSSLStrategy: text = "" } = configOf(alb);
  const strategy = SSL_STRATEGIES.find((known) => known === text);
  if (strategy === undefined && text !== "") {
    const message = `${JSON.stringify(text)} is none of ${SSL_STRATEGIES.join(", ")}`;
    reportIgnored(alb, "defaultSSLStrategy", message, context);
  }
  return strategy;
}

/** True unless enableIngress is false, as a boolean or as text. */
export function servesIngresses(alb: Alb2): boolean {
  return String(configOf(alb).enableIngress ?? true).toLowerCase() !== "false";
}

/** Stands for every project, and for namespaces without a project. */
const ALL_PROJECTS = "ALL_ALL";

/** An ALB2 serves Ingresses that have its name as class, or no class, in the namespaces of its projects. */
export function selectsByProject(
  alb: Alb2,
  { resources, options }: TranslateContext,
): Pick<LoadBalancer["ingress"], "selects" | "selection"> {
  if (!servesIngresses(alb)) return { selects: () => false, selection: [] };
  const projects = new Set(configOf(alb).projects ?? []);
  const isOurs = (name: string): boolean => {
    if (projects.has(ALL_PROJECTS)) return true;
    const labels = resources.get("Namespace", "", name)?.metadata.labels;
    const project = own(labels, `${options.domains.labels}/project`) ?? "";
    return project !== "" && projects.has(project);
  };
  const selects = (ingress: Ingress): boolean => {
    const name = ingressClassOf(ingress);
    return (name === undefined || name === alb.metadata.name) && isOurs(ingress.metadata.namespace);
  };
  return { selects, selection: [alb.metadata.name, ...projects] };
}
