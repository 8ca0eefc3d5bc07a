/** The load balancer's own kinds: ALB2 (v2, v2beta1), Frontend and Rule (v1). */
import type { Auth } from "./auth.js";
import type { KubernetesObject } from "./wire.js";

export interface Alb2 extends KubernetesObject {
  readonly spec?: {
    readonly address?: string;
    readonly type?: string;
    readonly config?: Alb2Config;
  };
}

export interface Alb2Config {
  readonly auth?: Auth;
  readonly networkMode?: string;
  readonly projects?: readonly string[];
  readonly replicas?: number;
  readonly vip?: { readonly enableLbSvc?: boolean };
  readonly loadbalancerName?: string;
  readonly enableIngress?: string | boolean;
  readonly ingressHTTPPort?: number;
  readonly ingressHTTPSPort?: number;
  readonly ingressSSLRedirect?: boolean;
  /** `<namespace>/<name>`. */
  readonly defaultSSLCert?: string;
  /** Always, Never, Request or Both. */
  readonly defaultSSLStrategy?: string;
  readonly timeout?: TimeoutSpec;
  readonly otel?: unknown;
  readonly modsecurity?: unknown;
}

export interface TimeoutSpec {
  readonly proxy_connect_timeout_ms?: number;
  readonly proxy_send_timeout_ms?: number;
  readonly proxy_read_timeout_ms?: number;
}

export interface RedirectSpec {
  readonly code?: number;
  readonly url?: string;
  readonly scheme?: string;
  readonly host?: string;
  readonly port?: number;
  readonly prefix_match?: string;
  readonly replace_prefix?: string;
}

export interface ServiceGroup {
  readonly session_affinity_policy?: string;
  readonly session_affinity_attribute?: string;
  readonly services?: readonly ServiceGroupMember[];
}

export interface ServiceGroupMember {
  readonly name: string;
  readonly namespace?: string;
  readonly port: number;
  readonly weight?: number;
}

/** What Frontends and Rules configure; `otel`, `modsecurity` and `keepalive` are kept, without effect. */
export interface RoutingConfig {
  readonly auth?: Auth;
  readonly timeout?: TimeoutSpec;
  readonly redirect?: RedirectSpec;
  readonly otel?: unknown;
  readonly modsecurity?: unknown;
  /** Of Frontends. */
  readonly keepalive?: unknown;
}

export interface Frontend extends KubernetesObject {
  readonly spec: {
    readonly port: number;
    readonly protocol?: string;
    readonly serviceGroup?: ServiceGroup;
    readonly source?: {
      readonly name?: string;
      readonly namespace?: string;
      readonly type?: string;
    };
    /** `<namespace>/<name>` or `<namespace>_<name>`. */
    readonly certificate_name?: string;
    readonly backendProtocol?: string;
    readonly config?: RoutingConfig;
  };
}

export interface Rule extends KubernetesObject {
  readonly spec: {
    readonly dslx?: readonly DslxTerm[];
    readonly dsl?: string;
    readonly domain?: string;
    readonly url?: string;
    readonly priority?: number;
    readonly serviceGroup?: ServiceGroup;
    readonly certificate_name?: string;
    readonly rewrite_base?: string;
    readonly rewrite_target?: string;
    readonly redirectURL?: string;
    readonly redirectCode?: number;
    readonly enableCORS?: boolean;
    readonly corsAllowHeaders?: string;
    readonly corsAllowOrigin?: string;
    readonly vhost?: string;
    readonly backendProtocol?: string;
    readonly description?: string;
    readonly type?: string;
    readonly source?: {
      readonly name?: string;
      readonly namespace?: string;
      readonly type?: string;
    };
    readonly config?: RoutingConfig;
  };
}

export const DSLX_TYPES = ["HOST", "URL", "SRC_IP", "METHOD", "HEADER", "PARAM", "COOKIE"] as const;
export const DSLX_OPERATORS = [
  "EQ",
  "IN",
  "STARTS_WITH",
  "ENDS_WITH",
  "REGEX",
  "RANGE",
  "EXIST",
] as const;

export interface DslxTerm {
  /** One of DSLX_TYPES. */
  readonly type: string;
  readonly key?: string;
  /** Rows `[operator, argument…]`, any of which may hold. */
  readonly values: readonly (readonly string[])[];
}
