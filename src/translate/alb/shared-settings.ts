/** Settings that ALB2s, Frontends and Rules have in common, and how one inherits them from another. */
import type {
  Alb2,
  Frontend,
  RedirectSpec,
  RoutingConfig,
  Rule,
  ServiceGroup,
  TimeoutSpec,
} from "../../api/alb.js";
import { type PathRewrite, type Redirect, isRedirectStatus } from "../../model/filters.js";
import {
  type Affinity,
  type Backend,
  DEFAULT_TIMEOUTS,
  MAX_TIMEOUT,
  type Route,
  type Timeouts,
} from "../../model/route.js";
import type { BackendProtocol, Refusal } from "../../model/upstream.js";
import { isDnsName } from "../../support/ip-address.js";
import { SHARED_SHAPE, filled, present } from "../../support/json-object.js";
import { type Result, ok, problem } from "../../support/result.js";
import { isSet } from "../../support/text.js";
import type { AuthContext } from "../auth/auth-context.js";
import type { Backends } from "../backends.js";
import type { Inherited } from "../load-balancer.js";
import { type Place, placeOf, within } from "../place.js";
import { closedRule, inheritedClosing, restrictionProblem } from "../reasons.js";

/** Extensions of the origin that only tune and do not exist here. */
const UNSUPPORTED = ["otel", "keepalive"] as const;

/**
 * `inherited`, overridden by what `owner` itself says. Objects replace inherited ones as a whole, so `auth: {}` disables auth.
 * Source: specification, inheritance of auth.
 */
export function overridden(
  inherited: Inherited,
  owner: Alb2 | Frontend | Rule,
  own: Omit<RoutingConfig, "redirect"> | undefined,
  context: AuthContext,
): Inherited {
  const config = own ?? {};
  const place = placeOf(owner, "spec", "config");
  for (const field of UNSUPPORTED) {
    if (config[field] === undefined) continue;
    const message = `${field} is not supported and has no effect`;
    context.diagnostics.report({ code: "SETTING_UNSUPPORTED", message, ...within(place, field) });
  }
  const { closed: inheritedRefusal, ...rest } = inherited;
  const closed =
    config.modsecurity === undefined
      ? inheritedRefusal
      : firewallRefusal(config.modsecurity, within(place, "modsecurity"), context);
  return {
    ...SHARED_SHAPE,
    ...rest,
    ...(closed && { closed }),
    ...(config.auth && {
      auth: context.auth.fromObject(config.auth, { ...within(place, "auth"), operator: true }),
    }),
    ...(config.timeout && {
      timeouts: timeoutsOf(config.timeout, within(place, "timeout"), context),
    }),
  };
}

/** There is no firewall that could inspect the requests of an owner that enables one, so its routes refuse them. */
function firewallRefusal(
  firewall: unknown,
  place: Place,
  { options, diagnostics }: AuthContext,
): Refusal | undefined {
  const what = "modsecurity has no effect: there is no web application firewall.";
  if (!isFirewallEnabled(firewall)) {
    diagnostics.report({ code: "SETTING_UNSUPPORTED", message: what, ...place });
    return undefined;
  }
  const problem = restrictionProblem(what, options);
  const isClosing = options.unsupportedRestrictions === "close";
  const message = isClosing ? inheritedClosing(problem.message, place.resource) : problem.message;
  diagnostics.report({ ...problem, message, ...place });
  return options.unsupportedRestrictions === "close" ? closedRule("modsecurity") : undefined;
}

/** Disabled only if `enable` is absent or false: a value of any other type may be meant as true. */
export function isFirewallEnabled(firewall: unknown): boolean {
  const enable: unknown =
    typeof firewall === "object" && firewall !== null && "enable" in firewall
      ? firewall.enable
      : undefined;
  return enable !== undefined && enable !== null && enable !== false && enable !== "false";
}

/** Timeouts in milliseconds. Absent fields have the default, not the inherited value; invalid ones are reported. */
function timeoutsOf(spec: TimeoutSpec, place: Place, { diagnostics }: AuthContext): Timeouts {
  const read = (field: keyof TimeoutSpec, absent: number): number => {
    const value = spec[field];
    if (value === undefined) return absent;
    if (Number.isInteger(value) && value >= 1 && value <= MAX_TIMEOUT) return value;
    const message = `${String(value)} is not a number of milliseconds from 1 to ${String(MAX_TIMEOUT)}`;
    diagnostics.report({ code: "SETTING_IGNORED", message, ...within(place, field) });
    return absent;
  };
  return {
    connect: read("proxy_connect_timeout_ms", DEFAULT_TIMEOUTS.connect),
    send: read("proxy_send_timeout_ms", DEFAULT_TIMEOUTS.send),
    read: read("proxy_read_timeout_ms", DEFAULT_TIMEOUTS.read),
  };
}

const PROTOCOLS: readonly BackendProtocol[] = ["http", "https", "grpc", "grpcs"];

/** The case does not matter. */
export function parseBackendProtocol(text: string): Result<BackendProtocol> {
  const protocol = PROTOCOLS.find((known) => known === text.trim().toLowerCase());
  if (protocol !== undefined) return ok(protocol);
  return problem(`${JSON.stringify(text)} is none of ${PROTOCOLS.join(", ")}`);
}

const DEFAULT_STATUS = 302;

/**
 * `url` alone is the whole Location; with other parts it is the path. A redirect to a scheme alone is only for clients that use
 * another scheme. Undefined if the object redirects nowhere.
 */
export function parseRedirect(spec: RedirectSpec): Result<Redirect | undefined> {
  const status = spec.code ?? DEFAULT_STATUS;
  if (!isRedirectStatus(status)) return problem(`${String(status)} is not a redirect status`);
  const authority = parseAuthority(spec);
  if (!authority.ok) return authority;
  const parts = authority.value;
  const url = given(spec.url);
  if (url !== undefined && !isLocation(url)) {
    return problem(`the URL ${JSON.stringify(url)} is neither a path nor an http or https URL`);
  }
  if (url !== undefined && Object.keys(parts).length === 0) return ok({ status, url: [url] });
  const path = pathOf(spec);
  const all = { ...SHARED_SHAPE, ...parts, ...(path && { path }) };
  const count = Object.keys(all).length;
  if (count === 0) return ok(undefined);
  const isSchemeAlone = count === 1 && parts.scheme !== undefined;
  return ok({ status, ...all, ...(isSchemeAlone && { unlessScheme: parts.scheme }) });
}

function isLocation(url: string): boolean {
  return (
    /^\S+$/.test(url) && (url.startsWith("/") || (/^https?:\/\//i.test(url) && URL.canParse(url)))
  );
}

function parseAuthority(spec: RedirectSpec): Result<Pick<Redirect, "scheme" | "host" | "port">> {
  const scheme = given(spec.scheme);
  const host = given(spec.host)?.toLowerCase();
  const port = given(spec.port);
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") {
    return problem(`the scheme ${JSON.stringify(scheme)} is neither http nor https`);
  }
  if (host !== undefined && !isDnsName(host)) {
    return problem(`the host ${JSON.stringify(host)} is not a DNS name`);
  }
  if (port !== undefined && (port < 0 || port > 65535)) {
    return problem(`${String(port)} is not a port`);
  }
  return ok({
    ...SHARED_SHAPE,
    ...(scheme && { scheme }),
    ...present("host", host),
    ...present("port", port),
  });
}

/** Go writes an absent text as empty and an absent number as 0. */
function given<T>(value: T | undefined): T | undefined {
  return value === "" || value === 0 ? undefined : value;
}

function pathOf(spec: RedirectSpec): PathRewrite | undefined {
  if (isSet(spec.url)) return ["full", spec.url];
  if (!isSet(spec.prefix_match)) return undefined;
  return ["prefix", spec.prefix_match.replace(/\/+$/, ""), spec.replace_prefix ?? ""];
}

/** The weight of a Service without one. The origin gives it to the Services of Ingresses. */
const DEFAULT_WEIGHT = 100;
const DEFAULT_COOKIE = "JSESSIONID";
const HEADER_NAME = /^[A-Za-z0-9_-]+$/;

/** The backends of a service group. */
export function translateServiceGroup(
  group: ServiceGroup,
  place: Place,
  protocol: BackendProtocol,
  { backends, diagnostics }: AuthContext,
): Pick<Route, "backends" | "affinity"> {
  const members = groupMembers(group, place, "tcp", backends).map((member): Backend => ({
    ...member,
    protocol,
  }));
  const affinity = parseAffinity(group);
  if (!affinity.ok) {
    const at = within(place, "session_affinity_policy");
    diagnostics.report({ code: "SETTING_IGNORED", message: affinity.problem, ...at });
  }
  return {
    ...SHARED_SHAPE,
    ...filled("backends", members),
    ...(affinity.ok && present("affinity", affinity.value)),
  };
}

/** The Services of a group; one without a namespace is in the group's own. */
export function groupMembers(
  { services = [] }: ServiceGroup,
  place: Place,
  transport: "tcp" | "udp",
  backends: Backends,
): readonly { readonly upstream: string; readonly weight: number }[] {
  return services.map(({ namespace, name, port, weight = DEFAULT_WEIGHT }, index) => {
    const at = within(place, "services", index);
    const ref = {
      namespace: isSet(namespace) ? namespace : place.resource.namespace,
      ...{ name, port },
      ...(transport === "udp" && { protocol: "UDP" as const }),
    };
    return { upstream: backends.upstream(ref, at, within(at, "port")), weight };
  });
}

function parseAffinity(group: ServiceGroup): Result<Affinity | undefined> {
  const { session_affinity_policy: policy = "", session_affinity_attribute: attribute = "" } =
    group;
  switch (policy) {
    case "":
      return ok(undefined);
    case "sip-hash":
      return ok(["clientAddress"]);
    case "header":
      if (HEADER_NAME.test(attribute)) return ok(["header", attribute.toLowerCase()]);
      return problem(`${JSON.stringify(attribute)} is not the name of a header`);
    case "cookie": {
      const name = attribute === "" ? DEFAULT_COOKIE : attribute;
      if (/^\w+$/.test(name)) return ok(["cookie", name]);
      return problem(
        `${JSON.stringify(attribute)} is not a name of letters, digits and _ for a cookie`,
      );
    }
    default:
      return problem(`${JSON.stringify(policy)} is none of sip-hash, cookie, header`);
  }
}
