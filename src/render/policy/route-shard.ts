import type { Route } from "../../model/route.js";
import type { PolicyRoute } from "./policy-document.js";

/** `defaultBodyLimit`: bytes for a route without a limit of its own; 0: none. */
export function policyRoute(route: Route, defaultBodyLimit: number): PolicyRoute {
  const { id: _, bodyLimit = defaultBodyLimit, ...rest } = route;
  return { ...rest, ...(bodyLimit > 0 && { bodyLimit }) };
}
