import type { Rule } from "../../api/alb.js";
import type { KubernetesObject } from "../../api/wire.js";
import type { Domains } from "../../options.js";
import { own } from "../../support/own.js";

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

/** Without one of its labels it can't be told which Frontend a Rule belongs to. */
export function lacksLabel(rule: KubernetesObject, domains: Domains): boolean {
  return [albNameOf, frontendNameOf].some((nameOf) => nameOf(rule, domains) === undefined);
}

/** The project of a namespace. */
export function projectOf(object: KubernetesObject, { labels }: Domains): string | undefined {
  return own(object.metadata.labels, `${labels}/project`);
}
