import type { Interpolation, SourceRef } from "./values.js";

/**
 * One whole Auth object as the data plane needs it, shared by all the routes that it protects. All methods that are present must
 * pass, in this order. None: nothing is checked.
 */
export interface AuthConfig {
  /** Stable: named after the object that supplied it, such as `alb2/cpaas-system/alb`. */
  readonly id: string;
  readonly source: SourceRef;
  /** What is wrong with it; then every request is answered 503 `AuthFail : invalid cfg <invalid>`. Never a secret. */
  readonly invalid?: string;
  readonly basic?: BasicAuth;
  readonly forward?: ForwardAuth;
  readonly external?: ExternalAuth;
}

/** RFC 7617 with apr1 hashes. */
export interface BasicAuth {
  /** As written; quoted for the header by the data plane. */
  readonly realm: string;
  /** Id of the credential set. */
  readonly credentials: string;
}

/** The users of one secret; hashes never leave this type but for the credentials file. */
export interface CredentialSet {
  /** Stable name of the secret and its reading, such as `default/users#auth-file`. */
  readonly id: string;
  readonly users: readonly Credential[];
}

export interface Credential {
  readonly user: string;
  /** apr1 salt and 22-character digest. */
  readonly salt: string;
  readonly hash: string;
}

/** An auth service decides, asked as ingress-nginx asks it. */
export interface ForwardAuth extends AuthUrl {
  /** A method of RFC 9110 or PATCH; GET by default. */
  readonly method: string;
  /** From the config map, names as written, later ones of equal name (without case) dropped; they win over all others. */
  readonly headers?: readonly HeaderTemplate[];
  /** Value of X-Auth-Request-Redirect; the request URI when absent or expanding to nothing. */
  readonly requestRedirect?: Interpolation;
  /** Removed from the client's request, then set from the auth response. Lower case. */
  readonly responseHeaders?: readonly string[];
  /** Location of the 302 for an auth service's 401, the redirect parameter included. */
  readonly signin?: Interpolation;
  /** Set-Cookie of the auth response on every client response, not only on those of the success list. */
  readonly alwaysSetCookie?: true;
}

/**
 * Gateway API's ExternalAuth filter by HTTP (GEP-1494): the auth service is asked with the request's own method and path, behind
 * `target` as prefix. Only 200 passes; any other answer goes to the client as it is.
 */
export interface ExternalAuth extends AuthUrl {
  /** Lower case. Sent besides Host, method, path, Content-Length and Authorization. */
  readonly headers?: readonly string[];
  /** Lower case; copied to the backend's request. Absent: all but those of the connection and Host. */
  readonly responseHeaders?: readonly string[];
  /**
   * Bytes of the body that are sent; a longer body is answered 413. 0: none is sent.
   * @minimum 0
   */
  readonly maxBody: number;
}

export type HeaderTemplate = readonly [name: string, value: Interpolation];

/** An http or https URL, taken apart at compile time so that a variable can't change its structure. */
export interface AuthUrl {
  readonly scheme: "http" | "https";
  /**
   * DNS name, IPv4 address or IPv6 address without brackets; variables expand to host characters only. One with variables is
   * checked again when it is expanded: a port that `$http_host` brought counts as the URL's, and a name with an empty label
   * refuses the request.
   */
  readonly host: Interpolation;
  /** Absent: the scheme's port. One with variables must expand to a number from 1 to 65535, or the request is refused. */
  readonly port?: Interpolation;
  /** Path and query, starting with `/`. */
  readonly target: Interpolation;
  /** Upstream of the cluster Service that the host names, when it names one: its endpoints replace DNS. */
  readonly upstream?: string;
}
