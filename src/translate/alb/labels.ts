import type { Rule } from "../../api/alb.js";
import type { KubernetesObject } from "../../api/wire.js";
import type { Domains } from "../../options.js";
import { isNear } from "../../support/did-you-mean.js";
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

/** Whether a label may be meant to be the name: it is missing, or has one or two wrong letters (isNear). With another number it means another. */
export function mayName(label: string | undefined, name: string): boolean {
  return label === undefined || (isNear(label, name) && numberIn(label) === numberIn(name));
}

/** Its digits; leading zeros say nothing. */
export function numberIn(text: string): string {
  return text.replaceAll(/\D/g, "").replace(/^0+/, "");
}

/** The project of a namespace. */
export function projectOf(object: KubernetesObject, { labels }: Domains): string | undefined {
  return own(object.metadata.labels, `${labels}/project`);
}
