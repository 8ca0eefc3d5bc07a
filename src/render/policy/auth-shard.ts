import type { AuthPolicy } from "../../model/auth.js";
import { given, present } from "../../support/fields.js";
import type { PolicyAuth } from "./policy-document.js";

/** `credentialFiles`: path of the credentials by id of the set. */
export function policyAuth(
  auth: AuthPolicy,
  credentialFiles: ReadonlyMap<string, string>,
): PolicyAuth {
  const { basic, forward } = auth;
  const file = basic && credentialFiles.get(basic.credentials);
  // A path whose credentials can't be told is closed, not open.
  const missing = basic && file === undefined ? "auth-secret" : undefined;
  return {
    source: auth.source,
    ...present("invalid", auth.invalid ?? missing),
    ...present("basic", basic && given(file, (path) => ({ realm: basic.realm, file: path }))),
    ...present("forward", forward),
  };
}
