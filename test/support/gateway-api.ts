import { existsSync } from "node:fs";
import { join } from "node:path";

/** The release that is served; `make gateway-api` has put it there. */
const FOLDER = join(import.meta.dirname, "../../.gateway-api/v1.7.0");

/** Folder of Gateway API's CRDs (`api`) or of its conformance suite. */
export function gatewayApi(module: "api" | "conformance"): string {
  const folder = join(FOLDER, module);
  if (!existsSync(join(folder, "go.mod"))) {
    throw new Error("Gateway API's own files are missing; run `make gateway-api`");
  }
  return folder;
}
