/** What the translation of one object adds to the model, and the sum of these parts. */
import type { Read } from "../../engine/tables.js";
import { DiagnosticSink, type Report } from "../../diagnostics/sink.js";
import type { AuthConfig, CredentialSet } from "../../model/auth.js";
import type { Certificate } from "../../model/listener.js";
import { type Route, type RouteBinding, inBindingOrder } from "../../model/route.js";
import type { BackendTls } from "../../model/upstream.js";
import { type Difference, compareIds, patched, trimmed } from "../../support/collections.js";
import { SHARED_SHAPE } from "../../support/json-object.js";
import type { AuthContext } from "../auth/auth-context.js";
import { createAuthTranslator } from "../auth/auth-translator.js";
import { Backends, type UpstreamPlan } from "../backends.js";
import { Certificates, type IdentifiedUse } from "../certificates.js";
import { namingPlaces } from "../closings.js";
import { ConfigBuilder } from "../config-builder.js";
import type { TranslateContext } from "../context.js";
import type { Key } from "../keys.js";
import { type ObjectTables, following } from "../known-objects.js";

export interface Part {
  readonly reports: readonly Report[];
  readonly routes: readonly Route[];
  readonly upstreams: readonly UpstreamPlan[];
  readonly auths: readonly AuthConfig[];
  readonly credentials: readonly CredentialSet[];
  readonly certificates: readonly Certificate[];
  readonly certificateUses: readonly IdentifiedUse[];
  readonly backendTls: readonly BackendTls[];
}

/** A context for the translation of one object, whose lookups follow the tables. */
export function ownContext(
  { options }: Pick<TranslateContext, "options">,
  objects: ObjectTables,
  read: Read,
): AuthContext {
  const diagnostics = new DiagnosticSink();
  return collecting({ resources: following(objects, read), options, diagnostics });
}

/** The context with empty collectors. */
export function collecting(context: TranslateContext): AuthContext {
  return {
    ...SHARED_SHAPE,
    ...context,
    config: new ConfigBuilder(),
    backends: new Backends(context),
    certificates: new Certificates(context),
    auth: createAuthTranslator(context),
  };
}

/** Whether a redirect answers every request before auth does. */
function isRedirectedFirst({ redirect, authFirst }: Route): boolean {
  return redirect !== undefined && redirect.unlessScheme === undefined && authFirst === undefined;
}

/** What a context has collected; to be called last. `claimed`: bindings that are not in the context. */
export function partOf(
  { diagnostics, config, backends, certificates, auth }: AuthContext,
  claimed: () => readonly RouteBinding[] = () => NOTHING,
): Part {
  const { auths, credentials, services } = auth.collected();
  for (const service of services) backends.add(service);
  const { routes, bindings } = config.bound;
  const all = { routes, bindings: () => [...bindings, ...claimed()] };
  const reports = namingPlaces(diagnostics.reports, all, (route) => [
    ...(route.refuse === undefined ? NOTHING : config.closers(route)),
    ...(isRedirectedFirst(route) ? NOTHING : (route.auth ?? NOTHING)).flatMap((id) =>
      auth.closers(id),
    ),
  ]);
  return {
    reports: kept(reports),
    routes: kept(routes),
    upstreams: kept(backends.collected()),
    auths: kept(auths),
    credentials: kept(credentials),
    certificates: kept(certificates.collected()),
    certificateUses: kept(certificates.uses),
    backendTls: kept(config.backendTls),
  };
}

const NOTHING: readonly never[] = [];

const NO_PART: Part = {
  reports: NOTHING,
  routes: NOTHING,
  upstreams: NOTHING,
  auths: NOTHING,
  credentials: NOTHING,
  certificates: NOTHING,
  certificateUses: NOTHING,
  backendTls: NOTHING,
};

/** Thousands of parts share one empty list. */
export function kept<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NOTHING : trimmed(list);
}

/** Values of several parts, each id once, sorted by id. */
export class Union<T extends { readonly id: string }> {
  readonly #counts = new Map<string, number>();
  readonly #changes = new Map<string, Difference<T>>();
  readonly #known = new Map<string, T>();
  #values: readonly T[] = [];

  /** Values of one id are equal. */
  replace(before: readonly T[], now: readonly T[]): void {
    for (const { id } of before) this.#count(id, -1);
    for (const value of now) {
      this.#count(value.id, 1);
      this.#set(value.id, value);
    }
    for (const { id } of before) if (!this.#counts.has(id)) this.#set(id, undefined);
  }

  get values(): readonly T[] {
    this.#values = patched(this.#values, [...this.#changes.values()], compareIds);
    this.#changes.clear();
    return this.#values;
  }

  #count(id: string, added: number): void {
    const count = (this.#counts.get(id) ?? 0) + added;
    if (count === 0) this.#counts.delete(id);
    else this.#counts.set(id, count);
  }

  #set(id: string, now: T | undefined): void {
    const before = this.#known.get(id);
    if (before === now) return;
    // Between two calls of `values` a value may be replaced several times.
    this.#changes.set(id, { before: (this.#changes.get(id) ?? { before }).before, now });
    if (now === undefined) this.#known.delete(id);
    else this.#known.set(id, now);
  }
}

/** The sum of all parts. */
export class Whole {
  /** By id. */
  routes: readonly Route[] = [];
  /** In their order. */
  bindings: readonly RouteBinding[] = [];
  readonly upstreams = new Union<UpstreamPlan>();
  readonly auths = new Union<AuthConfig>();
  readonly credentials = new Union<CredentialSet>();
  readonly certificates = new Union<Certificate>();
  readonly certificateUses = new Union<IdentifiedUse>();
  readonly backendTls = new Union<BackendTls>();
  /** Only of parts that have some. */
  readonly #reports = new Map<Key, readonly Report[]>();

  /** No two routes have one id; all other values of one id are equal. */
  update(differences: readonly (Difference<Part> & { readonly key: Key })[]): void {
    for (const { key, before = NO_PART, now = NO_PART } of differences) {
      this.upstreams.replace(before.upstreams, now.upstreams);
      this.auths.replace(before.auths, now.auths);
      this.credentials.replace(before.credentials, now.credentials);
      this.certificates.replace(before.certificates, now.certificates);
      this.certificateUses.replace(before.certificateUses, now.certificateUses);
      this.backendTls.replace(before.backendTls, now.backendTls);
      if (now.reports.length === 0) this.#reports.delete(key);
      else this.#reports.set(key, now.reports);
    }
    this.routes = patched(
      this.routes,
      eachOf(differences, ({ routes }) => routes),
      compareIds,
    );
  }

  bind(differences: readonly Difference<RouteBinding>[]): void {
    this.bindings = patched(this.bindings, differences, inBindingOrder);
  }

  get reports(): readonly Report[] {
    return [...this.#reports.values()].flat();
  }
}

/** The differences of a list in each part, for `patched`. */
export function eachOf<P extends object, T extends object>(
  differences: readonly Difference<P>[],
  values: (part: P) => readonly T[],
): readonly Difference<T>[] {
  return differences.flatMap(({ before, now }) => [
    ...(before ? values(before) : NOTHING).map((value) => ({ before: value })),
    ...(now ? values(now) : NOTHING).map((value) => ({ now: value })),
  ]);
}
