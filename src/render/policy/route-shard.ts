import {
  DEFAULT_TIMEOUTS,
  type Deadlines,
  type Retry,
  type Route,
  type Timeouts,
} from "../../model/route.js";
import type { Affinity, SessionPersistence } from "../../model/upstream.js";
import { assertNever } from "../../support/assert-never.js";
import { policyBackends, policyMirror, policyRefusal } from "./backend-shard.js";
import { filled, given, present } from "../../support/fields.js";
import type { SourceRef } from "../../model/source-ref.js";
import type { PolicyRoute, PolicySource } from "./policy-document.js";

export function policySource({ kind, namespace, name, field }: SourceRef): PolicySource {
  return [kind, namespace, name, field];
}

/** `defaultBodyLimit`: bytes for a route without a limit of its own; 0: none. */
export function policyRoute(route: Route, defaultBodyLimit: number): PolicyRoute {
  const bodyLimit = route.bodyLimit ?? defaultBodyLimit;
  return {
    source: policySource(route.source),
    ...present("refuse", given(route.refusal, policyRefusal)),
    ...present("redirect", route.redirect),
    ...present("authFirst", route.authFirst),
    ...present("cors", route.cors),
    ...present("bodyLimit", bodyLimit > 0 ? bodyLimit : undefined),
    ...filled("allow", route.sourceRanges?.allow),
    ...filled("deny", route.sourceRanges?.deny),
    ...present("satisfy", route.satisfy === "any" ? route.satisfy : undefined),
    ...filled("auth", route.auth),
    ...present("ownAuth", route.ownAuth),
    ...present("rewrite", route.rewrite),
    ...present("host", route.upstreamHost),
    ...present("requestHeaders", route.requestHeaders),
    ...present("responseHeaders", route.responseHeaders),
    ...filled("mirrors", route.mirrors?.map(policyMirror)),
    ...present("timeouts", policyTimeouts(route.timeouts, route.deadlines)),
    ...present("deadlines", given(route.deadlines, notEmpty)),
    ...present("retry", given(route.retry, policyRetry)),
    ...present("affinity", given(route.affinity, policyAffinity)),
    ...present("session", given(route.affinity, policySession)),
    ...filled("backends", policyBackends(route.backends)),
  };
}

/**
 * nginx.conf has the default ones: a route that leaves them costs no call in the balancer. A deadline stands in for the default
 * of silence, which may be shorter.
 */
function policyTimeouts(timeouts: Timeouts, deadlines: Deadlines = {}): PolicyRoute["timeouts"] {
  const { connect, send, read } = timeouts;
  const isDefault =
    connect === DEFAULT_TIMEOUTS.connect &&
    send === DEFAULT_TIMEOUTS.send &&
    read === DEFAULT_TIMEOUTS.read;
  if (!isDefault) return { connect, send, read };
  const longest = Math.max(deadlines.request ?? 0, deadlines.backendRequest ?? 0);
  if (longest === 0) return undefined;
  return { connect, send: Math.max(send, longest), read: Math.max(read, longest) };
}

/** A retry without attempts says something, too: not even failures to connect are tried again. */
function policyRetry({ codes, attempts }: Retry): PolicyRoute["retry"] {
  return { ...filled("codes", [...new Set(codes)].sort()), attempts };
}

function notEmpty<T extends object>(fields: T): T | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function policyAffinity(affinity: Affinity): PolicyRoute["affinity"] {
  switch (affinity.kind) {
    case "clientAddress":
      return [affinity.kind];
    case "header":
    case "cookie":
      return [affinity.kind, affinity.name];
    case "session":
      return undefined;
    default:
      return assertNever(affinity, "affinity");
  }
}

function policySession(affinity: Affinity): PolicyRoute["session"] {
  return affinity.kind === "session" ? sessionFields(affinity) : undefined;
}

function sessionFields(session: SessionPersistence): PolicyRoute["session"] {
  return {
    in: session.in,
    name: session.name,
    path: session.path,
    ...present("absoluteTimeout", session.absoluteTimeout),
    ...present("permanent", session.permanent ? true : undefined),
  };
}
