/**
 * Which requests one namespace may take from another, as docs/operations.md lists it ("Namespaces that share hosts"): what an older
 * object names, and what no object names. Written from the page, not from the code.
 */
import type { Manifest } from "./manifest.js";

/** The exceptions of that page. Options, listeners and statuses are those of taken.ts; no object is edited; all others are in `isTakenBy`. */
export const EXCEPTIONS = [
  "an older object",
  "an object without a host",
  "a priority in a Rule",
  "a priority in an Ingress",
  "routes of one listener",
  "an edited object",
  "an option",
  "a status",
];

export interface Asked {
  readonly host: string;
  readonly path: string;
}

interface Spec {
  /** Of a Rule. */
  readonly priority?: number;
  readonly dslx?: readonly { readonly type: string; readonly values: readonly string[][] }[];
  readonly defaultBackend?: unknown;
  readonly rules?: readonly { readonly host?: string }[];
}

export function specOf({ spec }: Manifest): Spec {
  return spec ?? {};
}

function ageOf({ metadata: { creationTimestamp = "9", namespace = "", name } }: Manifest): string {
  return `${creationTimestamp} ${namespace} ${name}`;
}

/** What an object claims that takes what is left of every host. */
export const THE_REST = "the rest";

/** What covers a host, the first to be tried first: its name, the wildcard above it, rules without a host, default backends. */
export function keysOf(host: string): readonly string[] {
  return [host, `*.${host.slice(host.indexOf(".") + 1)}`, "", THE_REST];
}

/** Hosts that a Rule names, or an Ingress, in rules and as further names. */
function hostsOf(object: Manifest): readonly string[] {
  const { dslx, rules = [], defaultBackend } = specOf(object);
  if (dslx !== undefined) {
    const hosts = dslx.flatMap(({ type, values }) =>
      type === "HOST" ? values.flat().slice(1) : [],
    );
    return hosts.length === 0 ? [""] : hosts;
  }
  const named = rules.map(({ host = "" }) => host);
  const isRest = defaultBackend !== undefined && named.every((host) => host === "");
  const aliases = Object.entries(object.metadata.annotations ?? {}).flatMap(([key, value]) =>
    key.endsWith("/server-alias") ? value.split(",") : [],
  );
  return [
    ...named,
    ...(named.some((host) => host !== "") ? aliases : []),
    ...(isRest || (defaultBackend !== undefined && named.includes("")) ? [THE_REST] : []),
  ];
}

/** The age of the oldest object that claims one of the keys. */
function oldestOf(objects: readonly Manifest[], keys: readonly string[]): string | undefined {
  const claiming = objects.filter((object) => hostsOf(object).some((host) => keys.includes(host)));
  return claiming.map(ageOf).sort()[0];
}

/** Whether another namespace may have the request of an object, which got it by `key`. */
export function isTakenBy(
  tenants: readonly Manifest[],
  { object, key, own }: { object: Manifest; key: string; own: readonly Manifest[] },
  { host }: Asked,
): boolean {
  const keys = keysOf(host);
  // An Ingress stands where a Rule of priority 5 does.
  const { priority = 5 } = specOf(object);
  if (priority !== 5) return priority > 5 && oldestOf(tenants, keys) !== undefined;
  const neighbours = own.filter(({ metadata }) => metadata.namespace === object.metadata.namespace);
  const at = keys.indexOf(widest(key, neighbours, keys));
  const named = keys.slice(0, 2);
  // Names come before what has no host, at which no older object helps.
  const before = at < 2 ? [] : keys.slice(0, at);
  if (oldestOf(tenants, before) !== undefined) return true;
  const same = at < 2 ? named : keys.slice(at, at + 1);
  const rival = oldestOf(tenants, same);
  const mine = oldestOf(at === 3 ? [object] : neighbours, at < 2 ? keys.slice(at, 2) : same);
  return rival !== undefined && (mine === undefined || rival < mine);
}

/** A path that its own namespace puts behind one of a wider host by a priority goes with that one. */
function widest(key: string, neighbours: readonly Manifest[], keys: readonly string[]): string {
  const isOrdered = neighbours.some(({ metadata }) =>
    Object.keys(metadata.annotations ?? {}).some((name) => name.includes("rule-priority")),
  );
  const claimed = new Set([key, ...(isOrdered ? neighbours.flatMap(hostsOf) : [])]);
  claimed.delete(key === THE_REST ? "" : THE_REST);
  return keys.filter((each) => claimed.has(each)).at(-1) ?? key;
}

/** Those that a load balancer takes, and all other objects. */
export function servedOf(objects: readonly Manifest[], hasAlb: boolean): readonly Manifest[] {
  return objects.filter(({ kind, metadata: { annotations = {} }, spec }) => {
    if (kind !== "Ingress") return true;
    const { ingressClassName = "" } = spec as { ingressClassName?: string };
    const isCanary = Object.entries(annotations).some(
      ([key, value]) => key.endsWith("/canary") && ["1", "true"].includes(value),
    );
    return !isCanary && ["", hasAlb ? "alb" : "nginx"].includes(ingressClassName);
  });
}
