import type { BackendTls } from "../../model/backend-tls.js";
import { filled, present } from "../../support/fields.js";
import type { PolicyBackendTls } from "./policy-document.js";

export function policyBackendTls(tls: BackendTls): PolicyBackendTls {
  return {
    ...present("hostname", tls.hostname),
    ...filled(
      "names",
      tls.subjectAltNames.map(({ kind, value }) => [kind, value] as const),
    ),
    ...present("inLua", isCheckedByLua(tls) ? true : undefined),
  };
}

/** nginx checks exactly one DNS name, the one that it also sends as server name; all else is Lua's to check. */
export function isCheckedByLua({ authorities, hostname, subjectAltNames }: BackendTls): boolean {
  return authorities.kind !== "none" && (subjectAltNames.length > 0 || hostname === undefined);
}
