import type { Alb2, Frontend } from "../api/alb.js";
import type { Ingress, KubernetesObject } from "../api/wire.js";
import type { Redirect } from "../model/filters.js";
import type { Timeouts } from "../model/route.js";
import { DEFAULT_TIMEOUTS, onePlace } from "../model/route.js";
import type { BackendProtocol, Refusal } from "../model/upstream.js";
import type { SourceRef } from "../model/values.js";
import { ANY_HOST } from "../model/values.js";
import type { ConfigBuilder } from "./config-builder.js";
import type { HostOwners } from "./host-owners.js";
import type { Rank } from "./precedence.js";
import { orderKey } from "./precedence.js";

/** A port that a listener of a Gateway wants. */
export interface GatewayPort {
  readonly port: number;
  readonly protocol: string;
  readonly isForEveryHost: boolean;
  /** On all addresses, as Ingresses are. */
  readonly isShared: boolean;
  readonly claimant: KubernetesObject;
}

/** One instance: its ports and the Ingresses it serves. */
export interface LoadBalancer {
  /** Absent: there is no ALB2, and the options say what is served. */
  readonly alb?: Alb2;
  /** By ascending port number. */
  readonly ports: readonly EntryPort[];
  readonly ingress: IngressEntry;
  /** Of the hosts that its Rules and Ingresses name. */
  readonly owners: HostOwners;
  /** Namespaces whose priorities count among the routes of all. */
  readonly prioritised: ReadonlySet<string>;
}

/** Where Ingresses are served. */
interface IngressEntry {
  readonly http?: EntryPort;
  readonly https?: EntryPort;
  /** Which Ingresses whose hosts have no TLS are served by HTTPS; undefined: all, as ingress-nginx does. */
  readonly sslStrategy?: SslStrategy;
  readonly selects: (ingress: Ingress) => boolean;
}

export type SslStrategy = "Always" | "Never" | "Request" | "Both";

/** A port that is served, with one listener for every host: Rules and Ingress paths are bound to it. */
export interface EntryPort {
  readonly port: number;
  readonly tls: boolean;
  readonly server: string;
  readonly listener: string;
  /** The Frontend that declares it; absent for ports that exist for Ingresses alone. */
  readonly frontend?: Frontend;
  readonly inherited: Inherited;
}

/** What routes of a port have unless they say otherwise. */
export interface Inherited {
  /** Ids of auth policies. */
  readonly auth: readonly string[];
  readonly timeouts: Timeouts;
  readonly protocol: BackendProtocol;
  /** What every route answers, since a restriction of all of them can't be honoured. */
  readonly closed?: Refusal;
  /** To another scheme on the same host; clients that came by that scheme are served. */
  readonly schemeRedirect?: Redirect;
}

export const NOTHING_INHERITED: Inherited = {
  auth: [],
  timeouts: DEFAULT_TIMEOUTS,
  protocol: "http",
};

/** Adds the server and the listener for every host of it. */
export function addEntryPort(config: ConfigBuilder, port: EntryPort, source: SourceRef): void {
  config.addListener(
    { id: port.server, addresses: [], port: port.port, tls: port.tls },
    { id: port.listener, server: port.server, hostname: ANY_HOST, source },
  );
}

/** Binds a route to every host and path of a port. */
export function bindWholePort(
  port: EntryPort,
  route: string,
  rank: Rank,
  config: ConfigBuilder,
): void {
  config.bind({
    at: onePlace(port.listener, ANY_HOST),
    path: undefined,
    when: [],
    order: orderKey(rank),
    route,
  });
}

/** A grpc Frontend has grpc backends; what may differ is whether they speak TLS. */
export function protocolOn({ frontend }: EntryPort, protocol: BackendProtocol): BackendProtocol {
  if (frontend?.spec.protocol !== "grpc") return protocol;
  return protocol === "https" || protocol === "grpcs" ? "grpcs" : "grpc";
}

export function serverId(port: number): string {
  return `p${String(port)}`;
}
