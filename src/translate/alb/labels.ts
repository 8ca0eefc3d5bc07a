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
export function isGenerated(object: KubernetesObject, { labels }: Domains): boolean {
  return own(object.metadata.labels, `alb2.${labels}/source-type`) === "ingress";
}

/** Of the two labels one is missing, and another key is nearly the same: what the object belongs to can't be told. */
export function hasMisspeltLabel(object: KubernetesObject, domains: Domains): boolean {
  const keys = Object.keys(object.metadata.labels ?? {});
  const wanted = [`alb2.${domains.labels}/name`, `alb2.${domains.labels}/frontend`];
  const absent = wanted.filter((known) => !keys.includes(known));
  if (object.kind === "Rule" && object.closed !== undefined && absent.length > 0) return true;
  return absent.some((known) => keys.some((key) => !wanted.includes(key) && isNear(key, known)));
}

/** The project of a namespace. */
export function projectOf(object: KubernetesObject, { labels }: Domains): string | undefined {
  return own(object.metadata.labels, `${labels}/project`);
}
