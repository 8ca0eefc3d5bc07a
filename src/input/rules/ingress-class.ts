/** What an API server checks in an IngressClass beyond its schema. */
import type { IngressClass } from "../../api/core.js";
import { invalid, missing, shown } from "../finding.js";
import type { Findings } from "../finding.js";
import { subdomainProblem } from "./names.js";

export function* checkIngressClass({ spec }: IngressClass): Findings {
  const controller = spec?.controller ?? "";
  if (controller === "") {
    yield missing(["spec", "controller"], "an IngressClass needs spec.controller");
  } else if (!isDomainPath(controller)) {
    yield invalid(
      ["spec", "controller"],
      `the controller ${shown(controller)} must be a domain, '/' and a path, as in 'k8s.io/ingress-nginx'`,
    );
  }
  if (spec?.parameters !== undefined) yield* checkScope(spec.parameters);
}

function isDomainPath(text: string): boolean {
  const slash = text.indexOf("/");
  const domain = text.slice(0, Math.max(slash, 0)).toLowerCase();
  return subdomainProblem(domain) === undefined && slash < text.length - 1;
}

type Parameters = NonNullable<NonNullable<IngressClass["spec"]>["parameters"]>;

function* checkScope({ scope, namespace }: Parameters): Findings {
  const field = ["spec", "parameters", "namespace"];
  if (scope === "Namespace" && (namespace ?? "") === "") {
    yield missing(field, "parameters with scope Namespace need a namespace");
  }
  if (scope !== "Namespace" && namespace !== undefined) {
    yield invalid(field, "parameters with scope Cluster must not have a namespace");
  }
}
