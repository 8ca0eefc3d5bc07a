import type { DataPlaneConfig } from "../ir/config.js";
import type { ObjectStatus } from "../status/object-status.js";
import type { OwnedObject } from "../status/owned-object.js";

export interface Translation {
  readonly config: DataPlaneConfig;
  readonly statuses: readonly ObjectStatus[];
  readonly objects: readonly OwnedObject[];
}
