import type { Interpolation, SourceRef } from "./values.js";

/** What a policy checks; the rest of it says where it is from. */
export type AuthChecks = Omit<AuthConfig, "id" | "source">;

/**
 * One whole Auth object as the data plane needs it, shared by all the routes that it protects. All methods that are present must
 * pass, in this order. None: nothing is checked.
 */
export interface AuthConfig {
  /**
   * Stable: named after the object that routes inherit it from, such as `alb2/cpaas-system/alb`, or after its content: objects whose
   * auth is equal share one.
   */
  readonly id: string;
  /** A string: a field of the object that the route is from. */
  readonly source: SourceRef | string;
  /** Problem that makes every request answer 503 `AuthFail : invalid cfg <invalid>`. Never contains a secret. */
  readonly invalid?: string;
  readonly basic?: BasicAuth;
  readonly forward?: ForwardAuth;
  readonly external?: ExternalAuth;
}

/** RFC 7617 with apr1 hashes. */
export interface BasicAuth {
  /** As written; the data plane quotes it for the header. */
  readonly realm: string;
  /** `{ "<user>": ["<salt>", "<hash>"] }` */
  readonly file: CredentialsFile;
}

/**
 * Path of a JSON file below the run folder, mode 0600, with the entries of a credential set; in the model, the id of that set.
 * @pattern ^credentials/[0-9a-f]{32}\.json$
 */
export type CredentialsFile = string;

/** What a method compares requests with, read from one Secret. Only the set's file contains it, never policy.json. */
export interface CredentialSet {
  /** Stable name of the Secret and how it was read, such as `default/users#auth-file`. */
  readonly id: string;
  /** By user, or another name that messages may show. */
  readonly entries: Readonly<Record<string, readonly string[]>>;
}

/** An auth service decides; it is asked as ingress-nginx does. */
export interface ForwardAuth extends AuthUrl {
  /** A method of RFC 9110 or PATCH; GET by default. */
  readonly method: string;
  /** From the config map, names as written; they override all others. Of equal names (ignoring case), the first is kept. */
  readonly headers?: readonly HeaderTemplate[];
  /** Value of X-Auth-Request-Redirect; the request URI if absent or empty after expansion. */
  readonly requestRedirect?: Interpolation;
  /** Removed from the client's request, then set from the auth response. Lower case. */
  readonly responseHeaders?: readonly string[];
  /** Location of the 302 that replaces an auth service's 401, including the redirect parameter. */
  readonly signin?: Interpolation;
  /** Adds Set-Cookie of the auth response to every client response, not only to statuses of the success list. */
  readonly alwaysSetCookie?: true;
}

/**
 * Gateway API's ExternalAuth filter over HTTP (GEP-1494): asks the auth service with the request's own method and path, with `target`
 * as prefix. Only 200 passes; any other answer goes to the client, with the reason in X-ALB-ERR-REASON.
 */
export interface ExternalAuth extends AuthUrl {
  /**
   * Lower case. Sent in addition to Host, method, path, Content-Length and Authorization. Headers that say where the request came from
   * (X-Real-IP, X-Forwarded-*) have the values that backends get.
   */
  readonly headers?: readonly string[];
  /** Lower case; copied to the backend's request. Absent: all but Host and headers of the hop or of the answer itself. */
  readonly responseHeaders?: readonly string[];
  /**
   * Bytes of the body that are sent; a longer body gets 413. 0: the body is not sent.
   * @minimum 0
   */
  readonly maxBody: number;
}

export type HeaderTemplate = readonly [name: string, value: Interpolation];

/** An http or https URL, taken apart at compile time so that a variable can't change its structure. */
export interface AuthUrl {
  readonly scheme: "http" | "https";
  /**
   * DNS name, IPv4 address or IPv6 address without brackets; variables expand to host characters only. A host with variables is
   * checked again after expansion: a port from `$http_host` counts as the URL's, and a name with an empty label refuses the
   * request.
   */
  readonly host: Interpolation;
  /** Absent: the scheme's port. If a port with variables does not expand to a number from 1 to 65535, the request is refused. */
  readonly port?: Interpolation;
  /** Path and query, starting with `/`. */
  readonly target: Interpolation;
  /** Upstream of the cluster Service, if the host names one; its endpoints replace DNS. */
  readonly upstream?: string;
  /** Of a tenant: which addresses the host may not have. Absent: it may have any. */
  readonly restricted?: AuthRestrictions;
}

/** Addresses of auth services are checked when a connection is made, because names and variables show theirs only then. */
export interface AuthRestrictions {
  /** Loopback and link-local addresses and CIDRs that are not refused. */
  readonly allowed: readonly string[];
  /** Of albc's health checks, which no address of the machine may be asked at. */
  readonly healthPort?: number;
}
