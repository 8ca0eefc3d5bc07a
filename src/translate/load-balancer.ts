import type { Alb2, Frontend } from "../api/alb.js";
import type { Ingress, KubernetesObject } from "../api/wire.js";
import type { Redirect } from "../model/filters.js";
import { DEFAULT_TIMEOUTS, type Timeouts, onePlace } from "../model/route.js";
import type { BackendProtocol, Refusal } from "../model/upstream.js";
import { ANY_HOST } from "../model/values.js";
import type { ConfigBuilder } from "./config-builder.js";
import type { HostOwners } from "./host-owners.js";
import { placeOf, sourceRef } from "./place.js";
import { type Rank, orderKey } from "./precedence.js";

/** A port that a listener of a Gateway wants. */
export interface GatewayPort {
  readonly port: number;
  readonly protocol: string;
  readonly isForEveryHost: boolean;
  /** On all addresses, like the ports of Ingresses. */
  readonly isShared: boolean;
  readonly claimant: KubernetesObject;
}

/** One instance: its ports and the Ingresses it serves. */
export interface LoadBalancer {
  /** Absent if there is no ALB2 and the options say what is served. */
  readonly alb?: Alb2;
  /** By ascending port number. */
  readonly ports: readonly EntryPort[];
  readonly streams: readonly StreamPort[];
  readonly ingress: IngressEntry;
  /** The owners of the hosts that its Rules and Ingresses name. */
  readonly owners: HostOwners;
  /** Namespaces whose priorities count among the routes of all namespaces. */
  readonly prioritised: ReadonlySet<string>;
}

/** The owners of its hosts are known only after its ports. */
export type NewBalancer = Omit<LoadBalancer, "owners">;

/** Where Ingresses are served. */
interface IngressEntry {
  readonly http?: EntryPort;
  readonly https?: EntryPort;
  /** When hosts without TLS are also served over HTTPS; absent: always, as in ingress-nginx. */
  readonly sslStrategy?: SslStrategy;
  readonly selects: (ingress: Ingress) => boolean;
  /** What `selects` depends on, besides labels of Namespaces: two with equal lists select the same. */
  readonly selection: readonly string[];
}

export type SslStrategy = "Always" | "Never" | "Request" | "Both";

/** A served port with one listener for every host, to which Rules and paths of Ingresses are bound. */
export interface EntryPort {
  readonly port: number;
  readonly tls: boolean;
  readonly server: string;
  readonly listener: string;
  /** The Frontend that declares it; absent for ports of Ingresses only. */
  readonly frontend?: Frontend;
  readonly inherited: Inherited;
}

/** A port of a Frontend of protocol tcp or udp, whose connections or datagrams are passed on. */
export interface StreamPort extends Pick<EntryPort, "port" | "server" | "listener"> {
  readonly transport: "tcp" | "udp";
  readonly frontend: Frontend;
  /** Connections are closed, since the Frontend or its ALB2 is refused. */
  readonly isClosed: boolean;
  /** The ALB2 has auth, which can't check connections. */
  readonly isUnchecked: boolean;
}

/** The ports of both kinds. */
export function allPorts({
  ports,
  streams,
}: Pick<LoadBalancer, "ports" | "streams">): readonly (EntryPort | StreamPort)[] {
  return [...ports, ...streams];
}

/** As listeners of Gateways name it. */
export function protocolOf(port: EntryPort | StreamPort): "HTTP" | "HTTPS" | "TCP" | "UDP" {
  if ("transport" in port) return port.transport === "udp" ? "UDP" : "TCP";
  return port.tls ? "HTTPS" : "HTTP";
}

/** Settings of a port that its routes inherit. */
export interface Inherited {
  /** Ids of auth policies. */
  readonly auth: readonly string[];
  readonly timeouts: Timeouts;
  readonly protocol: BackendProtocol;
  /** The answer of every route if a restriction can't be enforced. */
  readonly closed?: Refusal;
  /** To another scheme on the same host; clients that use that scheme are served. */
  readonly schemeRedirect?: Redirect;
}

export const NOTHING_INHERITED: Inherited = {
  auth: [],
  timeouts: DEFAULT_TIMEOUTS,
  protocol: "http",
};

/** Adds the servers of all ports, each with its listener for every host. Those of the options are apart, as in ingress-nginx (Listener). */
export function addEntryPorts(balancers: readonly NewBalancer[], config: ConfigBuilder): void {
  for (const { alb, ports } of balancers) {
    for (const { port, tls, server, listener: id, frontend } of ports) {
      config.addListener(
        { id: server, addresses: [], port, tls },
        { id, server, hostname: ANY_HOST, ...(alb === undefined && { apart: true }) },
      );
      const closed = alb?.closed ?? frontend?.closed;
      const owner = frontend ?? alb;
      if (closed === undefined || owner === undefined) continue;
      const source = sourceRef(placeOf(owner, "spec"));
      config.closeListener({ id, source, what: closed.what });
    }
  }
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

/** Backends of a grpc Frontend use gRPC, with or without TLS. */
export function protocolOn({ frontend }: EntryPort, protocol: BackendProtocol): BackendProtocol {
  if (frontend?.spec.protocol !== "grpc") return protocol;
  return protocol === "https" || protocol === "grpcs" ? "grpcs" : "grpc";
}

/** Such as `p80` and `p53-udp`. */
export function serverId(port: number, transport: "tcp" | "udp" = "tcp"): string {
  return `p${String(port)}${transport === "udp" ? "-udp" : ""}`;
}
