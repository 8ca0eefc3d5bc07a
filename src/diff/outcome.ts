/** What a route does with the requests that reach it, in a form in which two versions can be compared. */
import { formatRedirect, formatRewrite } from "../explain/format.js";
import { filtersOf, redirectFor } from "../explain/outcome.js";
import type { PolicyDocument, PolicyRoute } from "../model/policy.js";
import type { Backend } from "../model/route.js";
import type { SourceRef } from "../model/values.js";
import {
  type Protection,
  OPEN,
  allOf,
  anyOf,
  authProtection,
  closed,
  protectionOf,
} from "./protection.js";

export interface Outcome {
  /**
   * `none`: no listener, route or certificate. `refused`: the gateway answers with an error. `passed`: the connection is passed on as it
   * is.
   */
  readonly kind: "none" | "refused" | "redirected" | "forwarded" | "passed";
  /** Where the requests go, such as `100 % default/web/80 by http`, or the status. */
  readonly to: string;
  readonly protection: Protection;
  /** All else that is done with them. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly source?: SourceRef;
}

export const NOTHING: Outcome = { kind: "none", to: "nothing", protection: OPEN, settings: {} };

/** Whether equal requests are treated equally; the objects that say so may have other names. */
export function outcomeKey({ kind, to, protection, settings }: Outcome): string {
  return JSON.stringify([kind, to, protection.clauses, protection.content, settings]);
}

/** `route` has what it inherits; `listener` is what its listener demands of clients. */
export function outcomeOf(
  policy: PolicyDocument,
  route: PolicyRoute,
  scheme: "http" | "https",
  listener: Protection,
): Outcome {
  const { source, refuse, authFirst } = route;
  if (refuse !== undefined) {
    const [status, reason] = refuse;
    const protection = reason.startsWith("AuthFail") ? closed(reason) : listener;
    return { kind: "refused", to: `${status} ${reason}`, protection, settings: {}, source };
  }
  const own = allOf([listener, protectionOf(policy, route)]);
  const settings = settingsOf(route);
  const redirected = redirectFor(route, { scheme });
  if (redirected !== undefined) {
    const protection = authFirst === true ? own : listener;
    return { kind: "redirected", to: formatRedirect(redirected), protection, settings, source };
  }
  return { ...destinationOf(policy, route, own), settings, source };
}

/** Filters of backends count as settings, auth of backends as protection. */
function destinationOf(
  policy: PolicyDocument,
  route: PolicyRoute,
  own: Protection,
): Pick<Outcome, "kind" | "to" | "protection"> {
  const used = (route.backends ?? []).filter(({ weight }) => weight > 0);
  const total = used.reduce((sum, { weight }) => sum + weight, 0);
  const serving = used.filter(({ refuse }) => refuse === undefined);
  const texts = used.map((backend) => backendText(backend, total));
  if (own.clauses.flat().includes("closed")) {
    return { kind: "refused", to: `503 ${own.checks.join(", ")}`, protection: own };
  }
  if (serving.length === 0) {
    return { kind: "refused", to: texts[0] ?? "500 no backend", protection: own };
  }
  const rewrite = [
    ...(route.rewrite === undefined ? [] : [`path ${formatRewrite(route.rewrite)}`]),
    ...(route.host === undefined ? [] : [`Host ${route.host}`]),
  ];
  const backends = serving.map(({ filters }) => authProtection(policy, route, filters?.auth));
  return {
    kind: "forwarded",
    to: [...texts, ...rewrite].join(", "),
    protection: allOf([own, anyOf(backends)]),
  };
}

function backendText({ upstream = "", weight, protocol, refuse }: Backend, total: number): string {
  const share = weight === total ? "" : `${String(Math.round((weight / total) * 1000) / 10)} % `;
  return share + (refuse === undefined ? `${upstream} by ${protocol}` : refuse.join(" "));
}

function settingsOf(route: PolicyRoute): Outcome["settings"] {
  const { rewrite: _, host: _host, ...settings } = filtersOf(route);
  const backends = (route.backends ?? []).map(
    ({ tls, filters: { auth: _auth, ...rest } = {} }) => ({
      tls,
      ...rest,
    }),
  );
  return backends.some((backend) => JSON.stringify(backend) !== "{}")
    ? { ...settings, backends }
    : settings;
}
