import type { Result } from "../support/result.js";
import { ok, problem } from "../support/result.js";

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Reads `<namespace>/<name>`; a bare name means `defaultNamespace` where there is one. */
export function parseNamespacedName(
  text: string,
  defaultNamespace?: string,
): Result<NamespacedName> {
  const [first = "", second, ...rest] = text.trim().split("/");
  if (second === undefined && defaultNamespace !== undefined && first !== "") {
    return ok({ namespace: defaultNamespace, name: first });
  }
  if (second === undefined || second === "" || first === "" || rest.length > 0) {
    return problem(`${JSON.stringify(text)} is not <namespace>/<name>`);
  }
  return ok({ namespace: first, name: second });
}

/** A certificate's `<namespace>/<name>`, or `<namespace>_<name>`: names hold no underscore. */
export function parseCertificateName(text: string): Result<NamespacedName> {
  return parseNamespacedName(text.includes("/") ? text : text.replace("_", "/"));
}
