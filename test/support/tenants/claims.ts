/**
 * Which requests one namespace may take from another, as docs/operations.md lists it ("Namespaces that share hosts"): by a narrower
 * host or path, by an older object for the same ones, and what goes with the ownership of a host. Written from the page, not from the code.
 */
import { PATTERNS } from "./ingresses.js";
import type { Manifest } from "./manifest.js";

export interface Asked {
  readonly host: string;
  readonly path: string;
}

/** How narrow; lower numbers come first. */
export interface Claim {
  /** 0: the name itself, 1: a wildcard, 2: every host. */
  readonly host: number;
  /** 0: an Exact path, 1: others, 2: what no path of the host takes, 3: what nothing takes. */
  readonly kind: number;
  /** Characters that the paths begin with, negative. */
  readonly literal: number;
  readonly age: string;
}

interface Spec {
  /** Of a Rule. */
  readonly priority?: number;
  readonly dslx?: readonly { readonly type: string; readonly values: readonly string[][] }[];
  readonly defaultBackend?: unknown;
  readonly rules?: readonly {
    readonly host?: string;
    readonly http?: { readonly paths: readonly { path: string; pathType: string }[] };
  }[];
}

export function specOf({ spec }: Manifest): Spec {
  return spec ?? {};
}

export function ageOf({
  metadata: { creationTimestamp = "9", namespace = "", name },
}: Manifest): string {
  return `${creationTimestamp} ${namespace} ${name}`;
}

/** Host keys that cover a host, the narrowest first. */
export function keysOf(host: string): readonly string[] {
  return [host, `*.${host.slice(host.indexOf(".") + 1)}`, ""];
}

/** Hosts that a Rule names, or an Ingress, in rules and as further names. */
export function hostsOf(ingress: Manifest): readonly string[] {
  const { dslx } = specOf(ingress);
  if (dslx !== undefined) {
    return dslx.flatMap(({ type, values }) => (type === "HOST" ? (values[0]?.slice(1) ?? []) : []));
  }
  const named = (specOf(ingress).rules ?? []).map(({ host = "" }) => host);
  const aliases = Object.entries(ingress.metadata.annotations ?? {}).flatMap(([key, value]) =>
    key.endsWith("/server-alias") ? value.split(",") : [],
  );
  return named.some((host) => host !== "") ? [...named, ...aliases] : named;
}

/** The oldest object that names each host. */
export function owners(objects: readonly Manifest[]): ReadonlyMap<string, Manifest> {
  const oldest = new Map<string, Manifest>();
  for (const object of objects) {
    for (const host of hostsOf(object)) {
      const known = oldest.get(host);
      if (known === undefined || ageOf(object) < ageOf(known)) oldest.set(host, object);
    }
  }
  return oldest;
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

/** What the Ingresses say of a request. */
export function claimsOf(ingresses: readonly Manifest[], { host, path }: Asked): readonly Claim[] {
  const keys = keysOf(host);
  return ingresses.flatMap((ingress) => {
    const { rules = [], defaultBackend } = specOf(ingress);
    const age = ageOf(ingress);
    const hasDefault = defaultBackend !== undefined;
    const hasRoot =
      path === "/" &&
      Object.keys(ingress.metadata.annotations ?? {}).some((key) => key.endsWith("/app-root"));
    const last = { host: 2, kind: 3, literal: 0, age };
    if (rules.length === 0) return hasDefault ? [last] : [];
    const aliases = hostsOf(ingress).slice(rules.length);
    return rules.flatMap(({ host: named = "", http }) => {
      const names = named === "" ? [""] : [named, ...aliases];
      const rank = Math.min(...names.map((name) => keys.indexOf(name)).filter((at) => at >= 0));
      if (!Number.isFinite(rank)) return [];
      const paths = (http?.paths ?? []).flatMap((each) => readingsOf(each, path));
      const claims = [
        ...paths,
        ...(hasRoot ? [{ kind: 1, literal: -1 }] : []),
        ...(hasDefault ? [{ kind: named === "" ? 3 : 2, literal: 0 }] : []),
      ];
      return claims.map((claim) => ({ ...claim, host: rank, age }));
    });
  });
}

type PathClaim = Pick<Claim, "kind" | "literal">;

/** As it is written, and as the pattern that it is where its namespace has switched them on. */
function readingsOf(
  { path, pathType }: { readonly path: string; readonly pathType: string },
  asked: string,
): readonly PathClaim[] {
  const literal = PATTERNS[path] ?? path.length;
  const pattern = new RegExp(`^${path}`, "i").test(asked) ? [{ kind: 1, literal: -literal }] : [];
  if (pathType === "Exact") return asked === path ? [{ kind: 0, literal: -path.length }] : pattern;
  const prefix = path.replace(/\/+$/, "");
  const isBelow = asked === prefix || asked.startsWith(`${prefix}/`);
  return isBelow ? [...pattern, { kind: 1, literal: -Math.max(1, prefix.length) }] : pattern;
}

export function comesBefore(a: Claim, b: Claim): boolean {
  const order = [a.host - b.host, a.kind - b.kind, a.literal - b.literal];
  const first = order.find((difference) => difference !== 0);
  return first === undefined ? a.age < b.age : first < 0;
}
