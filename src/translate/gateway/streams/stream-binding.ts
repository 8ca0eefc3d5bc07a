import type { KubernetesObject } from "../../../api/wire.js";
import type { HostPattern } from "../../../model/host-pattern.js";
import type { RouteHost } from "../routes/route-hostnames.js";

/** A listener that is served, whose connections are passed on. */
export interface StreamListener {
  /** Id of the listener. */
  readonly id: string;
  readonly server: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly stream: "tcp" | "udp" | "passthrough" | "terminate";
  readonly hostname: HostPattern;
  /** Of `terminate`: one at least, the first is for names that no other is for. */
  readonly certificates: readonly StreamCertificate[];
}

export interface StreamCertificate {
  /** Id. */
  readonly id: string;
  readonly names: readonly HostPattern[];
}

/** A route at listeners, for hosts that it has in common with each of them. */
export interface StreamBinding {
  readonly route: KubernetesObject;
  /** Id of the pool; absent: connections are closed. */
  readonly pool?: string;
  /** Ids of listeners. */
  readonly listeners: readonly string[];
  readonly hosts: readonly StreamHost[];
}

/** A host, and the route's own hostname that it comes from. */
export interface StreamHost extends RouteHost {
  readonly host: HostPattern;
}
