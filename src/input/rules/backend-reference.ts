import type { BackendReference } from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/field-path.js";
import { invalid, missing } from "../finding.js";
import type { Findings } from "../finding.js";

const EXPERIMENTAL_GROUP = "gateway.networking.x-k8s.io";

export function* checkBackendReference(backend: BackendReference, field: FieldPath): Findings {
  const { group = "", kind = "Service", port } = backend;
  if (group === "" && kind === "Service" && port === undefined) {
    yield missing(
      [...field, "port"],
      "a backend that is a Service needs a port",
      "add port: with a port of the Service, not of its pods",
    );
  }
  if (group === EXPERIMENTAL_GROUP && kind === "XBackend" && port !== undefined) {
    yield invalid([...field, "port"], "a backend that is an XBackend must not have a port");
  }
}
