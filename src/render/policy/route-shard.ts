import type { Cors, HeaderChanges, PathRewrite, Redirect } from "../../ir/filters.js";
import { DEFAULT_TIMEOUTS, type Route, type Timeouts } from "../../ir/route.js";
import type { Affinity, Backend, Refusal } from "../../ir/upstream.js";
import { assertNever } from "../../support/assert-never.js";
import { filled, given, present, source } from "./fields.js";
import type {
  PolicyBackend,
  PolicyCors,
  PolicyHeaders,
  PolicyRedirect,
  PolicyRewrite,
  PolicyRoute,
} from "./policy-document.js";

/** `defaultBodyLimit`: bytes for a route without a limit of its own; 0: none. */
export function policyRoute(route: Route, defaultBodyLimit: number): PolicyRoute {
  const bodyLimit = route.bodyLimit ?? defaultBodyLimit;
  return {
    source: source(route.source),
    ...present("refuse", given(route.refusal, policyRefusal)),
    ...present("redirect", given(route.redirect, policyRedirect)),
    ...present("cors", given(route.cors, policyCors)),
    ...present("bodyLimit", bodyLimit > 0 ? bodyLimit : undefined),
    ...filled("allow", route.sourceRanges?.allow),
    ...filled("deny", route.sourceRanges?.deny),
    ...present("satisfy", route.satisfy === "any" ? route.satisfy : undefined),
    ...filled("auth", route.auth),
    ...present("rewrite", given(route.rewrite, policyRewrite)),
    ...present("host", route.upstreamHost),
    ...present("requestHeaders", given(route.requestHeaders, policyHeaders)),
    ...present("responseHeaders", given(route.responseHeaders, policyHeaders)),
    ...present("timeouts", policyTimeouts(route.timeouts)),
    ...present("affinity", given(route.affinity, policyAffinity)),
    ...filled("backends", route.backends.map(policyBackend)),
  };
}

function policyRefusal({ status, reason }: Refusal): readonly [number, string] {
  return [status, reason];
}

function policyRedirect({ path, ...redirect }: Redirect): PolicyRedirect {
  return { ...redirect, ...present("path", given(path, policyRewrite)) };
}

function policyRewrite(rewrite: PathRewrite): PolicyRewrite {
  switch (rewrite.kind) {
    case "full":
      return ["full", rewrite.value];
    case "prefix":
      return ["prefix", rewrite.prefix, rewrite.replacement];
    case "regex":
      return [
        "regex",
        rewrite.pattern,
        rewrite.ignoreCase ? "i" : "",
        rewrite.replacement,
        rewrite.whole,
      ];
    default:
      return assertNever(rewrite, "rewrite");
  }
}

function policyCors(cors: Cors): PolicyCors {
  return {
    ...present("dialect", cors.dialect === "gateway" ? cors.dialect : undefined),
    origins: cors.allowOrigins,
    methods: cors.allowMethods,
    headers: cors.allowHeaders,
    ...filled("expose", cors.exposeHeaders),
    credentials: cors.allowCredentials,
    maxAge: cors.maxAge,
  };
}

/** Nothing for changes that change nothing. */
function policyHeaders(changes: HeaderChanges): PolicyHeaders | undefined {
  const headers: PolicyHeaders = {
    ...filled("set", changes.set.map(nameAndValue)),
    ...filled("add", changes.add.map(nameAndValue)),
    ...filled("remove", changes.remove),
  };
  return Object.keys(headers).length === 0 ? undefined : headers;
}

function nameAndValue(header: {
  readonly name: string;
  readonly value: string;
}): readonly [string, string] {
  return [header.name, header.value];
}

/** nginx.conf has the default ones: a route that leaves them costs no call in the balancer. */
function policyTimeouts({ connect, send, read }: Timeouts): PolicyRoute["timeouts"] {
  const isDefault =
    connect === DEFAULT_TIMEOUTS.connect &&
    send === DEFAULT_TIMEOUTS.send &&
    read === DEFAULT_TIMEOUTS.read;
  return isDefault ? undefined : { connect, send, read };
}

function policyAffinity(affinity: Affinity): readonly [string] | readonly [string, string] {
  return affinity.kind === "clientAddress" ? [affinity.kind] : [affinity.kind, affinity.name];
}

function policyBackend({ upstream, weight, protocol, refusal }: Backend): PolicyBackend {
  return {
    ...present("upstream", upstream),
    weight,
    protocol,
    ...present("refuse", given(refusal, policyRefusal)),
  };
}
