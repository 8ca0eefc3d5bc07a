import type { Alb2, Frontend } from "../../api/alb.js";
import type { ResourceRef } from "../../diagnostics/diagnostic.js";
import type { TranslateContext } from "../context.js";
import { resourceRef } from "../place.js";
import { albNameOf, mayName } from "./labels.js";

/** Names that the origin gives to Frontends, `<alb>-<port>` with five digits, and that people give. */
const NAME_WITH_PORT = /^(.+)-(\d{1,5})$/;

/**
 * A Frontend that can't be read, or whose label of its ALB2 is missing or misspelt, and that may be for a port that an ALB2 has for its Ingresses. It may
 * hold auth for them, so without it nothing of the port may be served.
 */
export function refusedFrontendFor(
  alb: Alb2,
  port: number,
  { resources, options }: TranslateContext,
): ResourceRef | undefined {
  const { namespace, name } = alb.metadata;
  const mayBeOf = (frontend: Frontend): boolean => {
    const label = albNameOf(frontend, options.domains);
    const isOther = label !== undefined && resources.get("ALB2", namespace, label) !== undefined;
    return !isOther && mayName(label, name);
  };
  const stray = resources
    .list("Frontend")
    .find(
      (frontend) =>
        frontend.metadata.namespace === namespace &&
        frontend.spec.port === port &&
        mayBeOf(frontend),
    );
  return (
    (stray && resourceRef(stray)) ??
    resources.refused.find(
      (refused) =>
        refused.kind === "Frontend" &&
        refused.namespace === namespace &&
        mayBeFor(refused.name, alb, port, resources),
    )
  );
}

/** Any other name, or one of an ALB2 that does not exist, says nothing of the port. */
function mayBeFor(
  name: string,
  alb: Alb2,
  port: number,
  resources: TranslateContext["resources"],
): boolean {
  const [, owner, digits] = NAME_WITH_PORT.exec(name) ?? [];
  const { namespace } = alb.metadata;
  if (owner === undefined || resources.get("ALB2", namespace, owner) === undefined) return true;
  return owner === alb.metadata.name && Number(digits) === port;
}
