import type { Alb2 } from "../../api/alb.js";
import type { ResourceRef } from "../../diagnostics/diagnostic.js";
import type { TranslateContext } from "../context.js";
import { resourceRef } from "../place.js";
import { albNameOf, hasMisspeltLabel } from "./labels.js";

/** Names that the origin gives to Frontends, `<alb>-<port>` with five digits, and that people give. */
const NAME_WITH_PORT = /^(.+)-(\d{1,5})$/;

/**
 * A Frontend that can't be read, or whose labels are misspelt, and that may be for a port that an ALB2 has for its Ingresses. It may hold auth for them, so without it
 * nothing of the port may be served.
 */
export function refusedFrontendFor(
  alb: Alb2,
  port: number,
  { resources, options }: TranslateContext,
): ResourceRef | undefined {
  const { namespace } = alb.metadata;
  const stray = resources
    .list("Frontend")
    .find(
      (frontend) =>
        frontend.metadata.namespace === namespace &&
        frontend.spec.port === port &&
        albNameOf(frontend, options.domains) === undefined &&
        (frontend.closed !== undefined || hasMisspeltLabel(frontend, options.domains)),
    );
  return (
    (stray && resourceRef(stray)) ??
    resources.refused.find(
      (refused) =>
        refused.kind === "Frontend" &&
        refused.namespace === namespace &&
        mayBeFor(refused.name, alb, port),
    )
  );
}

function mayBeFor(name: string, alb: Alb2, port: number): boolean {
  const match = NAME_WITH_PORT.exec(name);
  if (match === null) return true;
  return match[1] === alb.metadata.name && Number(match[2]) === port;
}
