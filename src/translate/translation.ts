import type { DataPlaneConfig, RoutingModel } from "../model/config.js";
import type { ObjectStatus } from "../status/object-status.js";
import type { OwnedObject } from "../status/owned-object.js";
import type { UpstreamPlan } from "./backends.js";
import type { CertificateUse } from "./certificates.js";

export interface Translation {
  readonly config: DataPlaneConfig;
  readonly statuses: readonly ObjectStatus[];
  readonly objects: readonly OwnedObject[];
}

/** A translation but for what follows from EndpointSlices. */
export interface Routing extends Omit<Translation, "config"> {
  readonly config: RoutingModel;
  readonly upstreams: readonly UpstreamPlan[];
  readonly streamUpstreams: readonly UpstreamPlan[];
  readonly certificateUses: readonly CertificateUse[];
}
