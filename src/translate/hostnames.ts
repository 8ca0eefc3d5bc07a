import type { KubernetesObject } from "../api/wire.js";
import type { HostPattern } from "../model/values.js";
import { ANY_HOST, hostKey } from "../model/values.js";
import { canonicalHost } from "../support/ip-address.js";
import type { Result } from "../support/result.js";
import { ok, problem } from "../support/result.js";
import { ageKey, compareAge, oldestOf } from "./precedence.js";

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const MAX_LENGTH = 253;

/** RFC 1123: dot-separated labels of lower-case letters, digits and inner dashes. */
export function isDnsName(text: string): boolean {
  return text.length <= MAX_LENGTH && text.split(".").every((label) => LABEL.test(label));
}

/**
 * The hosts that `text` names: none or `""` is every host, `*.` as the whole first label is a wildcard for `labels`. Case and a
 * trailing dot don't count.
 */
export function parseHostPattern(
  text: string | undefined,
  labels: "one" | "many",
): Result<HostPattern> {
  if (text === undefined || text === "") return ok(ANY_HOST);
  const host = text.toLowerCase().replace(/\.$/, "");
  const suffix = host.startsWith("*.") ? host.slice(2) : undefined;
  if (!isDnsName(suffix ?? host) || (suffix === undefined && canonicalHost(host) === undefined)) {
    return problem(`${JSON.stringify(text)} is not a DNS name, with or without a leading "*."`);
  }
  return ok(suffix === undefined ? { kind: "exact", host } : { kind: "wildcard", suffix, labels });
}

/** The wildcard of one label that covers a name. */
export function parentWildcard(host: HostPattern): HostPattern | undefined {
  const dot = host.kind === "exact" ? host.host.indexOf(".") : -1;
  if (host.kind !== "exact" || dot < 1) return undefined;
  return { kind: "wildcard", suffix: host.host.slice(dot + 1), labels: "one" };
}

/** Keys of a host and of the wildcards above it, those for one label or for any number of them; the narrowest first. */
export function keysAbove(host: HostPattern, labels: "one" | "many"): readonly string[] {
  if (host.kind === "any") return [];
  if (labels === "one") {
    const parent = parentWildcard(host);
    return parent === undefined ? [hostKey(host)] : [hostKey(host), hostKey(parent)];
  }
  const names = (host.kind === "exact" ? host.host : host.suffix).split(".");
  const first = host.kind === "exact" ? 1 : 0;
  const wildcards = names.slice(first).map((_, at) => `**.${names.slice(first + at).join(".")}`);
  return [hostKey(host), ...wildcards];
}

/** Whether every host of `inner` is one of `outer`. */
export function covers(outer: HostPattern, inner: HostPattern): boolean {
  if (outer.kind === "any") return true;
  if (inner.kind === "any") return false;
  if (outer.kind === "exact") return inner.kind === "exact" && inner.host === outer.host;
  if (inner.kind === "exact") {
    const prefix = withoutSuffix(inner.host, outer.suffix);
    return prefix !== undefined && (outer.labels === "many" || !prefix.includes("."));
  }
  if (outer.labels === "one") return inner.labels === "one" && inner.suffix === outer.suffix;
  return inner.suffix === outer.suffix || withoutSuffix(inner.suffix, outer.suffix) !== undefined;
}

/** `a.b` of `a.b.example` without `example`; undefined when nothing, or not the suffix, is left. */
function withoutSuffix(host: string, suffix: string): string | undefined {
  return host.length > suffix.length + 1 && host.endsWith(`.${suffix}`)
    ? host.slice(0, -suffix.length - 1)
    : undefined;
}

interface Named {
  readonly host: HostPattern;
  /** By namespace: the oldest object that names the host. */
  readonly claims: Map<string, KubernetesObject>;
}

/**
 * Who owns each host of a load balancer: the namespace of the oldest object that names the host or the wildcard above it. Its paths are
 * tried before those of other namespaces (`rank`), and it alone decides about the certificate, the redirect to HTTPS and aliases.
 * With the option sharedHosts, an object that names a host owns it despite an older wildcard, and paths have no rank.
 */
export class HostOwners {
  readonly #named = new Map<string, Named>();
  readonly #ranks = new Map<string, string>();
  #rest: KubernetesObject | undefined;
  readonly #isShared: boolean;

  constructor({ sharedHosts }: { readonly sharedHosts: boolean }) {
    this.#isShared = sharedHosts;
  }

  claim(host: HostPattern, object: KubernetesObject): void {
    const key = hostKey(host);
    const named = this.#named.get(key) ?? { host, claims: new Map<string, KubernetesObject>() };
    const { namespace } = object.metadata;
    const known = named.claims.get(namespace);
    if (known === undefined || compareAge(object, known) < 0) named.claims.set(namespace, object);
    this.#named.set(key, named);
  }

  /** For a default backend of every host. */
  claimRest(object: KubernetesObject): void {
    if (this.#rest === undefined || compareAge(object, this.#rest) < 0) this.#rest = object;
  }

  /** The oldest object that names the host or the wildcard above it; else the oldest one for every host, at last by a default backend. */
  ownerOf(host: HostPattern): KubernetesObject | undefined {
    return this.ownerOfName(host) ?? oldestOf(this.#claimsOf("")) ?? this.#rest;
  }

  /** As `ownerOf`, without objects for every host. */
  ownerOfName(host: HostPattern): KubernetesObject | undefined {
    const found = keysAbove(host, "one").flatMap((key) => oldestOf(this.#claimsOf(key)) ?? []);
    return this.#isShared ? found[0] : oldestOf(found);
  }

  /**
   * Text whose byte order is the order in which namespaces get the requests of a host: by the age of their claims. A host is never behind
   * the wildcard above it, so each binding has one rank, whichever of its hosts is asked for. Objects without a host come last.
   */
  rank(namespace: string, host: HostPattern): string {
    if (this.#isShared) return "";
    const key = `${namespace} ${hostKey(host)}`;
    const known = this.#ranks.get(key);
    if (known !== undefined) return known;
    const keys = host.kind === "any" ? [""] : keysAbove(host, "one");
    const claims = keys.flatMap((each) => this.#named.get(each)?.claims.get(namespace) ?? []);
    const age = ageKey(oldestOf(claims)?.metadata.creationTimestamp);
    const rank = `${host.kind === "any" ? "1" : "0"}${age} ${namespace}`;
    this.#ranks.set(key, rank);
    return rank;
  }

  /** Every host that is named. */
  names(): readonly HostPattern[] {
    return [...this.#named.values()].map(({ host }) => host);
  }

  isOwner(namespace: string, host: HostPattern): boolean {
    return this.ownerOf(host)?.metadata.namespace === namespace;
  }

  #claimsOf(key: string): Iterable<KubernetesObject> {
    return this.#named.get(key)?.claims.values() ?? [];
  }
}

/**
 * The hosts that both patterns are for; wildcards stand for any number of labels (Gateway API, Listener.hostname). Undefined: none.
 */
export function intersect(a: HostPattern, b: HostPattern): HostPattern | undefined {
  if (includes(a, b)) return b;
  return includes(b, a) ? a : undefined;
}

function includes(outer: HostPattern, inner: HostPattern): boolean {
  switch (outer.kind) {
    case "any":
      return true;
    case "exact":
      return inner.kind === "exact" && inner.host === outer.host;
    case "wildcard":
      return inner.kind !== "any" && liesBelow(outer.suffix, inner);
  }
}

function liesBelow(suffix: string, inner: Exclude<HostPattern, { kind: "any" }>): boolean {
  if (inner.kind === "exact") return inner.host.endsWith(`.${suffix}`);
  return inner.suffix === suffix || inner.suffix.endsWith(`.${suffix}`);
}
