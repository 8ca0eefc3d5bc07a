import type { RoutingModel } from "../model/config.js";
import { type HostPattern, hostKey } from "../model/values.js";
import type { Listener, Server, ServerCertificate } from "../model/listener.js";
import type { BackendTls } from "../model/upstream.js";
import type { Route, RouteBinding } from "../model/route.js";
import { compareIds, compareStrings, getOrInsert } from "../support/collections.js";
import type { Backends } from "./backends.js";
import type { Certificates } from "./certificates.js";
import type { TranslateContext } from "./context.js";
import type { Place } from "./place.js";

/** A context with the collectors that steps add to. */
export interface BuildContext extends TranslateContext {
  readonly config: ConfigBuilder;
  readonly backends: Backends;
  readonly certificates: Certificates;
}

/** A certificate that is to be served, and who wants it: absent where that is not reported if another one is served. */
export interface CertificateCandidate {
  readonly certificate: ServerCertificate;
  readonly wanted?: { readonly port: number; readonly place: Place };
}

/** A listener whose requests all answer 503, and why. */
export interface ClosedListener extends Pick<Route, "id" | "source"> {
  readonly what: string;
}

/** Gathers the model while it is translated; the result does not depend on the order of gathering. */
export class ConfigBuilder {
  readonly #servers = new Map<string, Server>();
  readonly #listeners = new Map<string, Listener>();
  readonly #kept = new Map<string, Map<string, HostPattern>>();
  readonly #routes = new Map<string, Route>();
  readonly #closers = new Map<string, readonly string[]>();
  readonly #bindings: RouteBinding[] = [];
  readonly #candidates: CertificateCandidate[] = [];
  readonly #backendTls = new Map<string, BackendTls>();
  readonly #closed: ClosedListener[] = [];
  /** Ids of listeners that get no sockets. */
  readonly refused = new Set<string>();

  addListener(server: Server, listener: Listener): void {
    this.#servers.set(server.id, server);
    this.#listeners.set(listener.id, listener);
  }

  /** All of its hosts and paths answer 503. */
  closeListener(listener: ClosedListener): void {
    this.#closed.push(listener);
  }

  /** Those that `closeListener` was called with. */
  get closedListeners(): readonly ClosedListener[] {
    return this.#closed;
  }

  /**
   * Adds a route and returns the id that it got. Ports and listeners may inherit differently, so one rule can give different routes
   * on two of them: then the later one is `<id>@<place>`. `closers`: fields of its object that close it.
   */
  addRoute(route: Route, place: number | string, closers: readonly string[] = []): string {
    const id = this.#idFor(route, place);
    if (closers.length > 0) this.#closers.set(id, closers);
    return id;
  }

  #idFor(route: Route, place: number | string): string {
    const existing = this.#routes.get(route.id);
    if (existing === undefined) {
      this.#routes.set(route.id, route);
      return route.id;
    }
    // Routes are plain data whose fields are written in one order.
    if (existing === route || JSON.stringify(existing) === JSON.stringify(route)) return route.id;
    const id = `${route.id}@${place}`;
    this.#routes.set(id, { ...route, id });
    return id;
  }

  /** Fields of its object that close a route. */
  closers({ id }: Pick<Route, "id">): readonly string[] {
    return this.#closers.get(id) ?? [];
  }

  bind(binding: RouteBinding): void {
    this.#bindings.push(binding);
  }

  /** What `addRoute` and `bind` were called with. */
  get bound(): Pick<RoutingModel, "routes" | "bindings"> {
    return { routes: [...this.#routes.values()], bindings: this.#bindings };
  }

  /** So far. */
  listeners(): readonly Listener[] {
    return sorted(this.#listeners.values()).map((listener) => {
      const kept = this.#kept.get(listener.id);
      if (kept === undefined) return listener;
      const keeps = [...kept].sort(([a], [b]) => compareStrings(a, b)).map(([, host]) => host);
      return { ...listener, keeps };
    });
  }

  /** Of several for a host on a server the first one is served; `wanted`: who is told if that is another one. */
  addCertificate(certificate: ServerCertificate, wanted?: CertificateCandidate["wanted"]): void {
    this.#candidates.push({ certificate, ...(wanted && { wanted }) });
  }

  /** In the order in which they were added. */
  get candidates(): readonly CertificateCandidate[] {
    return this.#candidates;
  }

  /** Those of one id are equal. */
  addBackendTls(tls: BackendTls): void {
    this.#backendTls.set(tls.id, tls);
  }

  /** By id. */
  get backendTls(): readonly BackendTls[] {
    return sorted(this.#backendTls.values());
  }

  /** A host that stays with a listener although another one's hostname is narrower. */
  keepHost(listener: string, host: HostPattern): void {
    getOrInsert(this.#kept, listener, () => new Map()).set(hostKey(host), host);
  }

  /** A name without a certificate of its own gets the server's default one, and not that of a wildcard. */
  keepDefaultCertificate(server: string, host: HostPattern): void {
    this.#candidates.push({ certificate: { server, host } });
  }

  /** By id. */
  get servers(): readonly Server[] {
    return sorted(this.#servers.values());
  }
}

function sorted<T extends { readonly id: string }>(values: Iterable<T>): readonly T[] {
  return [...values].sort(compareIds);
}
