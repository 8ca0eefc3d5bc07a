/** What filters and backends make of a request. */
import { headerValue, hostOf } from "./matches.js";
import { type Target, modified } from "./path.js";
import {
  ANSWERED,
  type Backend,
  type Filters,
  type HeaderChanges,
  type Outcome,
  REQUEST_HEADERS,
  RESPONSE_HEADERS,
  type Redirect,
  type Request,
} from "./world.js";

export interface Matched {
  readonly request: Request;
  readonly target: Target;
  /** Of the match that won. */
  readonly prefix: string;
}

const WELL_KNOWN = { http: 80, https: 443 } as const;

/** `port` is the listener's. */
export function redirected(
  redirect: Redirect,
  { request, target, prefix, port }: Matched & { readonly port: number },
): Outcome {
  const scheme = redirect.scheme ?? "http";
  const host = redirect.hostname ?? hostOf(request);
  const derived = redirect.scheme === undefined ? port : WELL_KNOWN[redirect.scheme];
  const shown = redirect.port ?? derived;
  const authority = shown === WELL_KNOWN[scheme] ? host : `${host}:${String(shown)}`;
  // No URI has one, and browsers take it for a slash.
  const path = modified(target, redirect.path, prefix).replaceAll("\\", "%5C");
  return {
    status: redirect.statusCode ?? 302,
    location: `${scheme}://${authority}${path}${target.query.replaceAll("\\", "%5C")}`,
  };
}

/** With this backend; filters of the rule come before its own. */
export function forwardings(rule: Filters, backend: Backend, matched: Matched): Outcome {
  if (backend.filters.unknown) return { status: 500 };
  if (backend.name === "missing" || backend.name === "foreign") return { status: 500 };
  if (backend.name === "empty") return { status: 503 };
  const { request, target, prefix } = matched;
  const layers = [rule, backend.filters];
  const rewrites = layers.flatMap(({ rewrite }) => rewrite ?? []);
  const path = rewrites.flatMap((each) => each.path ?? []).at(-1);
  const received = Object.fromEntries(
    REQUEST_HEADERS.map((name) => [name, headerValue(request, name) ?? ""]),
  );
  return {
    status: 200,
    forwarded: {
      backend: backend.name,
      url: `${modified(target, path, prefix)}${target.query}`,
      host: rewrites.flatMap(({ hostname }) => hostname ?? []).at(-1) ?? request.host,
      request: changed(
        REQUEST_HEADERS,
        received,
        layers.flatMap((each) => each.requestHeaders ?? []),
      ),
      response: changed(
        RESPONSE_HEADERS,
        ANSWERED,
        layers.flatMap((each) => each.responseHeaders ?? []),
      ),
    },
  };
}

function changed(
  names: readonly string[],
  before: Readonly<Record<string, string>>,
  changes: readonly HeaderChanges[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      changes.reduce((value, change) => changedValue(name, value, change), before[name] ?? ""),
    ]),
  );
}

function changedValue(name: string, value: string, { set, add, remove }: HeaderChanges): string {
  const is = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  if (remove.some(is)) return "";
  const start = set.find((each) => is(each.name))?.value ?? value;
  const added = add.find((each) => is(each.name))?.value;
  return [start, added].filter((part) => part !== undefined && part !== "").join(",");
}
