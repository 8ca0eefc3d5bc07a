/**
 * Gateway API v1.7 (gateway.networking.k8s.io): GatewayClass, Gateway, ListenerSet, HTTPRoute, GRPCRoute, BackendTLSPolicy.
 * Fields with a closed set of values are open strings here: a value that a later version adds must be told, not crash.
 * Lists that an API server fills in by default are absent where a file leaves them out.
 */
import type { KubernetesObject } from "./wire.js";

/** A condition as it stands in a status, another controller's included. */
export interface WireCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

export interface GatewayClass extends KubernetesObject {
  readonly spec: {
    readonly controllerName: string;
    readonly description?: string;
    readonly parametersRef?: ObjectReference & { readonly namespace?: string };
  };
  readonly status?: {
    readonly conditions?: readonly WireCondition[];
    readonly supportedFeatures?: readonly { readonly name: string }[];
  };
}

/** Of the namespace of who refers. */
export interface ObjectReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** A Secret unless `kind` and `group` say otherwise; of the namespace of who refers unless `namespace` does. */
export interface SecretReference {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Without defaults for group and kind: a ConfigMap of the core group in most uses. */
export interface CertificateAuthorityReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

export interface FromNamespaces {
  /** All, Selector, Same; None for allowedListeners. */
  readonly from?: string;
  readonly selector?: LabelSelector;
}

export interface GatewayListener {
  readonly name: string;
  readonly hostname?: string;
  readonly port: number;
  /** HTTP, HTTPS, TLS, TCP, UDP, or `<domain>/<name>`. */
  readonly protocol: string;
  readonly tls?: {
    /** Terminate, Passthrough. */
    readonly mode?: string;
    readonly certificateRefs?: readonly SecretReference[];
    readonly options?: Readonly<Record<string, string>>;
  };
  readonly allowedRoutes?: {
    readonly namespaces?: FromNamespaces;
    readonly kinds?: readonly { readonly group?: string; readonly kind: string }[];
  };
  /** GEP-5224, experimental. */
  readonly filters?: { readonly requests?: readonly RouteFilter[] };
}

export interface FrontendTls {
  readonly validation?: {
    readonly caCertificateRefs: readonly CertificateAuthorityReference[];
    /** AllowValidOnly, AllowInsecureFallback. */
    readonly mode?: string;
  };
}

export interface Gateway extends KubernetesObject {
  readonly spec: {
    readonly gatewayClassName: string;
    readonly listeners: readonly GatewayListener[];
    readonly addresses?: readonly {
      /** IPAddress, Hostname, NamedAddress, or `<domain>/<name>`. */
      readonly type?: string;
      readonly value?: string;
      readonly routability?: string;
    }[];
    readonly infrastructure?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly parametersRef?: ObjectReference;
    };
    readonly allowedListeners?: { readonly namespaces?: FromNamespaces };
    readonly tls?: {
      readonly frontend?: {
        readonly default?: FrontendTls;
        readonly perPort?: readonly { readonly port: number; readonly tls: FrontendTls }[];
      };
      readonly backend?: { readonly clientCertificateRef?: SecretReference };
    };
    readonly defaultScope?: string;
  };
  readonly status?: {
    readonly addresses?: readonly { readonly type?: string; readonly value: string }[];
    readonly conditions?: readonly WireCondition[];
    readonly listeners?: readonly WireListenerStatus[];
    readonly attachedListenerSets?: number;
  };
}

export interface WireListenerStatus {
  readonly name: string;
  readonly port?: number;
  readonly attachedRoutes: number;
  readonly supportedKinds?: readonly { readonly group?: string; readonly kind: string }[];
  readonly conditions: readonly WireCondition[];
}

/** ListenerSet, v1. */
export interface ListenerSet extends KubernetesObject {
  readonly spec: {
    readonly parentRef: {
      readonly group?: string;
      readonly kind?: string;
      readonly name: string;
      readonly namespace?: string;
    };
    readonly listeners: readonly GatewayListener[];
  };
  readonly status?: {
    readonly conditions?: readonly WireCondition[];
    readonly listeners?: readonly WireListenerStatus[];
  };
}

export interface ParentReference {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly sectionName?: string;
  readonly port?: number;
}

export interface RouteParentStatus {
  readonly parentRef: ParentReference;
  readonly controllerName: string;
  readonly conditions?: readonly WireCondition[];
}

export interface RouteStatus {
  readonly parents?: readonly RouteParentStatus[];
}

/** What HTTPRoute and GRPCRoute have in common. */
export interface CommonRouteSpec {
  readonly parentRefs?: readonly ParentReference[];
  readonly useDefaultGateways?: string;
  readonly hostnames?: readonly string[];
}

/** HTTPRoute, v1 and v1beta1. */
export interface HttpRoute extends KubernetesObject {
  readonly spec: CommonRouteSpec & { readonly rules?: readonly HttpRouteRule[] };
  readonly status?: RouteStatus;
}

export interface HttpRouteRule {
  readonly name?: string;
  readonly matches?: readonly HttpRouteMatch[];
  readonly filters?: readonly RouteFilter[];
  readonly backendRefs?: readonly RouteBackendRef[];
  /** Durations of GEP-2257. */
  readonly timeouts?: { readonly request?: string; readonly backendRequest?: string };
  readonly retry?: HttpRouteRetry;
  readonly sessionPersistence?: SessionPersistenceSpec;
}

export interface HttpRouteRetry {
  readonly codes?: readonly number[];
  readonly attempts?: number;
  readonly backoff?: string;
}

export interface SessionPersistenceSpec {
  /** Cookie, Header. */
  readonly type?: string;
  readonly absoluteTimeout?: string;
  readonly idleTimeout?: string;
  readonly cookie?: {
    readonly name?: string;
    readonly path?: string;
    /** Session, Permanent. */
    readonly lifetimeType?: string;
  };
  readonly header?: { readonly name: string };
  /** Names of these fields up to v1.6. */
  readonly sessionName?: string;
  readonly cookieConfig?: { readonly lifetimeType?: string };
}

export interface HttpRouteMatch {
  /** Exact, PathPrefix, RegularExpression. */
  readonly path?: { readonly type?: string; readonly value?: string };
  readonly headers?: readonly ValueMatch[];
  readonly queryParams?: readonly ValueMatch[];
  readonly method?: string;
}

/** Exact, RegularExpression. */
export interface ValueMatch {
  readonly type?: string;
  readonly name: string;
  readonly value: string;
}

export interface HeaderModifier {
  readonly set?: readonly { readonly name: string; readonly value: string }[];
  readonly add?: readonly { readonly name: string; readonly value: string }[];
  readonly remove?: readonly string[];
}

/** ReplaceFullPath, ReplacePrefixMatch. */
export interface PathModifier {
  readonly type: string;
  readonly replaceFullPath?: string;
  readonly replacePrefixMatch?: string;
}

export interface BackendReference {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
}

export interface RouteBackendRef extends BackendReference {
  readonly weight?: number;
  readonly filters?: readonly RouteFilter[];
}

/** A filter of an HTTPRoute, a GRPCRoute (fewer types) or a listener (ExternalAuth and ExtensionRef). */
export interface RouteFilter {
  readonly type: string;
  readonly requestHeaderModifier?: HeaderModifier;
  readonly responseHeaderModifier?: HeaderModifier;
  readonly requestMirror?: {
    readonly backendRef: BackendReference;
    readonly percent?: number;
    readonly fraction?: { readonly numerator: number; readonly denominator?: number };
  };
  readonly requestRedirect?: {
    readonly scheme?: string;
    readonly hostname?: string;
    readonly path?: PathModifier;
    readonly port?: number;
    readonly statusCode?: number;
  };
  readonly urlRewrite?: { readonly hostname?: string; readonly path?: PathModifier };
  readonly cors?: {
    readonly allowOrigins?: readonly string[];
    readonly allowCredentials?: boolean;
    readonly allowMethods?: readonly string[];
    readonly allowHeaders?: readonly string[];
    readonly exposeHeaders?: readonly string[];
    readonly maxAge?: number;
  };
  readonly externalAuth?: ExternalAuthFilter;
  readonly extensionRef?: ObjectReference;
}

/** GEP-1494. */
export interface ExternalAuthFilter {
  /** HTTP, GRPC. */
  readonly protocol: string;
  readonly backendRef: BackendReference;
  readonly http?: {
    readonly path?: string;
    readonly allowedHeaders?: readonly string[];
    readonly allowedResponseHeaders?: readonly string[];
  };
  readonly grpc?: { readonly allowedHeaders?: readonly string[] };
  readonly forwardBody?: { readonly maxSize?: number };
}

/** GRPCRoute, v1. */
export interface GrpcRoute extends KubernetesObject {
  readonly spec: CommonRouteSpec & { readonly rules?: readonly GrpcRouteRule[] };
  readonly status?: RouteStatus;
}

export interface GrpcRouteRule {
  readonly name?: string;
  readonly matches?: readonly {
    readonly method?: {
      /** Exact, RegularExpression. */
      readonly type?: string;
      readonly service?: string;
      readonly method?: string;
    };
    readonly headers?: readonly ValueMatch[];
  }[];
  readonly filters?: readonly RouteFilter[];
  readonly backendRefs?: readonly RouteBackendRef[];
  readonly sessionPersistence?: SessionPersistenceSpec;
}

/** A policy's target in its own namespace. */
export interface PolicyTargetReference extends ObjectReference {
  readonly sectionName?: string;
}

export interface PolicyAncestorStatus {
  readonly ancestorRef: ParentReference;
  readonly controllerName: string;
  readonly conditions?: readonly WireCondition[];
}

export interface PolicyStatus {
  readonly ancestors?: readonly PolicyAncestorStatus[];
}

/** BackendTLSPolicy, v1. */
export interface BackendTlsPolicy extends KubernetesObject {
  readonly spec: {
    readonly targetRefs: readonly PolicyTargetReference[];
    readonly validation: {
      readonly caCertificateRefs?: readonly ObjectReference[];
      readonly wellKnownCACertificates?: string;
      readonly hostname: string;
      readonly subjectAltNames?: readonly {
        /** Hostname, URI. */
        readonly type: string;
        readonly hostname?: string;
        readonly uri?: string;
      }[];
    };
    readonly options?: Readonly<Record<string, string>>;
  };
  readonly status?: PolicyStatus;
}
