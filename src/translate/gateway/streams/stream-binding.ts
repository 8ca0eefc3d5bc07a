import type { KubernetesObject } from "../../../api/wire.js";
import type { HostPattern } from "../../../ir/host-pattern.js";

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

/** A route at listeners, for a host that they have in common. */
export interface StreamBinding {
  readonly host: HostPattern;
  /** The route's own hostname. */
  readonly hostname: HostPattern;
  readonly route: KubernetesObject;
  /** Of the hostname in the route. */
  readonly index: number;
  /** Id of the pool; absent: connections are closed. */
  readonly pool?: string;
}
