import type { ExternalAuthFilter } from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/field-path.js";
import { invalid, missing } from "../finding.js";
import type { Findings } from "../finding.js";
import { checkBackendReference } from "./backend-reference.js";
import { checkUnique } from "./unique.js";

/** What each protocol is configured by. */
const PROTOCOLS = { HTTP: "http", GRPC: "grpc" } as const;

/** A protocol that is not known may come with anything: a condition tells that it is not supported. */
export function* checkExternalAuth(filter: ExternalAuthFilter, field: FieldPath): Findings {
  yield* checkBackendReference(filter.backendRef, [...field, "backendRef"]);
  const { protocol } = filter;
  if (protocol === "HTTP" || protocol === "GRPC") {
    const own = PROTOCOLS[protocol];
    if (filter[own] === undefined) {
      yield missing([...field, own], `ExternalAuth with protocol ${protocol} needs ${own}`);
    }
    const other = own === "http" ? "grpc" : "http";
    if (filter[other] !== undefined) {
      yield invalid(
        [...field, other],
        `ExternalAuth with protocol ${protocol} must not have ${other}`,
      );
    }
  }
  const { http, grpc } = filter;
  const inHttp = [...field, "http"];
  yield* headers(http?.allowedHeaders, [...inHttp, "allowedHeaders"]);
  yield* headers(http?.allowedResponseHeaders, [...inHttp, "allowedResponseHeaders"]);
  yield* headers(grpc?.allowedHeaders, [...field, "grpc", "allowedHeaders"]);
}

function headers(names: readonly string[] | undefined, field: FieldPath): Findings {
  return checkUnique(names ?? [], field, "header");
}
