import type { AuthPolicy, ExternalAuth, ForwardAuth, HeaderTemplate } from "../../ir/auth.js";
import { memoized } from "../../support/memoized.js";
import { policyInterpolation } from "./interpolation.js";
import { filled, given, present, source } from "./fields.js";
import type {
  PolicyAuth,
  PolicyExternalAuth,
  PolicyForwardAuth,
  PolicyInterpolation,
} from "./policy-document.js";

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
    source: source(auth.source),
    ...present("invalid", auth.invalid ?? missing),
    ...present("basic", basic && given(file, (path) => ({ realm: basic.realm, file: path }))),
    ...present("forward", given(forward, policyForward)),
  };
}

function policyForward(forward: ForwardAuth): PolicyForwardAuth {
  const { url } = forward;
  return {
    scheme: url.scheme,
    host: policyInterpolation(url.host),
    ...present("port", given(url.port, policyInterpolation)),
    target: policyInterpolation(url.target),
    ...present("upstream", url.upstream),
    method: forward.method,
    ...filled("headers", policyHeaders(forward.headers)),
    ...present("requestRedirect", given(forward.requestRedirect, policyInterpolation)),
    ...filled("responseHeaders", forward.responseHeaders),
    ...present("signin", given(forward.signin, policyInterpolation)),
    ...present("alwaysSetCookie", forward.alwaysSetCookie ? true : undefined),
    ...present("external", given(forward.external, policyExternal)),
  };
}

function policyExternal(external: ExternalAuth): PolicyExternalAuth {
  return {
    ...filled("headers", external.allowedHeaders),
    ...filled("responseHeaders", external.allowedResponseHeaders),
    maxBody: external.maxBody,
  };
}

/** Policies share the list of a ConfigMap. */
const policyHeaders = memoized((headers: readonly HeaderTemplate[]) =>
  headers.map(({ name, value }): readonly [string, PolicyInterpolation] => [
    name,
    policyInterpolation(value),
  ]),
);
