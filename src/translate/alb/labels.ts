/** Which ALB2 and Frontend the labels of a Frontend or Rule name. */
import type { Rule } from "../../api/alb.js";
import type { KubernetesObject } from "../../api/wire.js";
import type { Domains } from "../../model/options.js";
import { own } from "../../support/json-object.js";

/** The name of the ALB2, in its own namespace, that a Frontend or Rule belongs to. */
export function albNameOf(object: KubernetesObject, { labels }: Domains): string | undefined {
  return own(object.metadata.labels, `alb2.${labels}/name`);
}

/** The name of the Frontend, in its own namespace, that a Rule belongs to. */
export function frontendNameOf(object: KubernetesObject, { labels }: Domains): string | undefined {
  return own(object.metadata.labels, `alb2.${labels}/frontend`);
}

/** Whether the origin's controller made the Rule from an Ingress. */
export function isGenerated({ metadata, spec: { source } }: Rule, { labels }: Domains): boolean {
  return [own(metadata.labels, `alb2.${labels}/source-type`), source?.type].includes("ingress");
}
