export const AUTH_TYPES = ["basic"] as const;
export const SECRET_TYPES = ["auth-file", "auth-map"] as const;
/** The methods of RFC 9110 and RFC 5789, as ingress-nginx takes them; names of methods are case-sensitive. */
export const AUTH_METHODS = "GET HEAD POST PUT PATCH DELETE CONNECT OPTIONS TRACE".split(" ");

/** The Auth object of ALB2, Frontend and Rule (`spec.config.auth`) and of AuthPolicy (`spec`). Absent parts are not configured. */
export interface Auth {
  /**
   * Set by decoding when what the user wrote is not an Auth object (a wrong type, an unknown field): one sentence on
   * why. Nobody can say what was meant, so the paths that it protects answer 503; `basic` and `forward` are absent.
   */
  readonly invalid?: string;
  readonly basic?: BasicAuthSpec;
  readonly forward?: ForwardAuthSpec;
}

export interface BasicAuthSpec {
  readonly auth_type?: string;
  readonly realm?: string;
  /** `<namespace>/<name>`. */
  readonly secret?: string;
  /** `auth-map` or `auth-file`. */
  readonly secret_type?: string;
}

export interface ForwardAuthSpec {
  readonly always_set_cookie?: boolean;
  /** `<namespace>/<name>` of a config map. */
  readonly auth_headers_cm_ref?: string;
  readonly auth_request_redirect?: string;
  readonly method?: string;
  readonly signin?: string;
  readonly signin_redirect_param?: string;
  readonly upstream_headers?: readonly string[];
  readonly url?: string;
}
