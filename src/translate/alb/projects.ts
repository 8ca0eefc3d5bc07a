import type { Alb2 } from "../../api/alb.js";
import type { Ingress } from "../../api/core.js";
import type { TranslateContext } from "../context.js";
import { ingressClassOf } from "../ingress/ingress-class.js";
import { configOf, servesIngresses } from "./alb-settings.js";
import { projectOf } from "./labels.js";

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
