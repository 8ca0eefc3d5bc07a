import type { DataPlaneConfig } from "../ir/config.js";
import type { ObjectStatus } from "../status/object-status.js";

export interface Translation {
  readonly config: DataPlaneConfig;
  readonly statuses: readonly ObjectStatus[];
}
