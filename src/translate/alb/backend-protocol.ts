import type { BackendProtocol } from "../../model/upstream.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";

const PROTOCOLS: readonly BackendProtocol[] = ["http", "https", "grpc", "grpcs"];

/** Case doesn't count. */
export function parseBackendProtocol(text: string): Result<BackendProtocol> {
  const protocol = PROTOCOLS.find((known) => known === text.trim().toLowerCase());
  if (protocol !== undefined) return ok(protocol);
  return problem(`${JSON.stringify(text)} is none of ${PROTOCOLS.join(", ")}`);
}
