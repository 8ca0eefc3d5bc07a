import type { Alb2 } from "../api/alb.js";
import type { Ingress } from "../api/core.js";
import type { KubernetesObject } from "../api/wire.js";
import type { EntryBindings } from "./entry-bindings.js";
import type { EntryPort } from "./entry-port.js";
import type { HostOwners } from "./host-owners.js";

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
  readonly bindings: EntryBindings;
}

/** Where Ingresses are served. */
export interface IngressEntry {
  readonly http?: EntryPort;
  readonly https?: EntryPort;
  /** Which Ingresses whose hosts have no TLS are served by HTTPS; undefined: all, as ingress-nginx does. */
  readonly sslStrategy?: SslStrategy;
  readonly selects: (ingress: Ingress) => boolean;
}

export type SslStrategy = "Always" | "Never" | "Request" | "Both";
