/** Made by test/support/gateway-types.ts from the CRDs of Gateway API v1.7 (`make golden-update`). A set of values may grow: the ones that are known stand above the field. */
import type { KubernetesObject } from "./wire.js";

export interface GatewayClass extends KubernetesObject {
  readonly spec: {
    readonly controllerName: string;
    readonly description?: string;
    readonly parametersRef?: ObjectReference;
  };
  readonly status?: {
    readonly conditions?: readonly WireCondition[];
    readonly supportedFeatures?: readonly {
      readonly name: string;
    }[];
  };
}

export interface Gateway extends KubernetesObject {
  readonly spec: {
    readonly addresses?: readonly {
      readonly routability?: string;
      readonly type?: string;
      readonly value?: string;
    }[];
    readonly allowedListeners?: {
      readonly namespaces?: FromNamespaces;
    };
    /** All, None. */
    readonly defaultScope?: string;
    readonly gatewayClassName: string;
    readonly infrastructure?: {
      readonly annotations?: Readonly<Record<string, string>>;
      readonly labels?: Readonly<Record<string, string>>;
      readonly parametersRef?: ObjectReference;
    };
    readonly listeners: readonly GatewayListener[];
    readonly tls?: {
      readonly backend?: {
        readonly clientCertificateRef?: SecretReference;
      };
      readonly frontend?: {
        readonly default: FrontendTls;
        readonly perPort?: readonly {
          readonly port: number;
          readonly tls: FrontendTls;
        }[];
      };
    };
  };
  readonly status?: {
    readonly addresses?: readonly {
      readonly routability?: string;
      readonly type?: string;
      readonly value: string;
    }[];
    readonly attachedListenerSets?: number;
    readonly conditions?: readonly WireCondition[];
    readonly listeners?: readonly WireListenerStatus[];
  };
}

export interface ListenerSet extends KubernetesObject {
  readonly spec: {
    readonly listeners: readonly GatewayListener[];
    readonly parentRef: ParentReference;
  };
  readonly status?: {
    readonly conditions?: readonly WireCondition[];
    readonly listeners?: readonly WireListenerStatus[];
  };
}

export interface HttpRoute extends KubernetesObject {
  readonly spec: {
    readonly hostnames?: readonly string[];
    readonly parentRefs?: readonly ParentReference[];
    readonly rules?: readonly HttpRouteRule[];
    /** All, None. */
    readonly useDefaultGateways?: string;
  };
  readonly status?: RouteStatus;
}

export interface GrpcRoute extends KubernetesObject {
  readonly spec: {
    readonly hostnames?: readonly string[];
    readonly parentRefs?: readonly ParentReference[];
    readonly rules?: readonly GrpcRouteRule[];
    /** All, None. */
    readonly useDefaultGateways?: string;
  };
  readonly status?: RouteStatus;
}

export interface TlsRoute extends KubernetesObject {
  readonly spec: {
    readonly hostnames?: readonly string[];
    readonly parentRefs?: readonly ParentReference[];
    readonly rules: readonly StreamRouteRule[];
    /** All, None. */
    readonly useDefaultGateways?: string;
  };
  readonly status?: RouteStatus;
}

export interface TcpRoute extends KubernetesObject {
  readonly spec: {
    readonly parentRefs?: readonly ParentReference[];
    readonly rules: readonly StreamRouteRule[];
    /** All, None. */
    readonly useDefaultGateways?: string;
  };
  readonly status?: RouteStatus;
}

export interface UdpRoute extends KubernetesObject {
  readonly spec: {
    readonly parentRefs?: readonly ParentReference[];
    readonly rules: readonly StreamRouteRule[];
    /** All, None. */
    readonly useDefaultGateways?: string;
  };
  readonly status?: RouteStatus;
}

export interface BackendTlsPolicy extends KubernetesObject {
  readonly spec: {
    readonly options?: Readonly<Record<string, string>>;
    readonly targetRefs: readonly PolicyTargetReference[];
    readonly validation: {
      readonly caCertificateRefs?: readonly ObjectReference[];
      readonly hostname: string;
      readonly subjectAltNames?: readonly {
        readonly hostname?: string;
        /** Hostname, URI. */
        readonly type: string;
        readonly uri?: string;
      }[];
      readonly wellKnownCACertificates?: string;
    };
  };
  readonly status?: PolicyStatus;
}

export interface ReferenceGrant extends KubernetesObject {
  readonly spec: {
    readonly from: readonly {
      readonly group: string;
      readonly kind: string;
      readonly namespace: string;
    }[];
    readonly to: readonly {
      readonly group: string;
      readonly kind: string;
      readonly name?: string;
    }[];
  };
}

export type StreamRoute = TlsRoute | TcpRoute | UdpRoute;

/** What HTTPRoute and GRPCRoute have in common. */
export type CommonRouteSpec = Pick<
  HttpRoute["spec"],
  "parentRefs" | "useDefaultGateways" | "hostnames"
>;

export interface ObjectReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface WireCondition {
  readonly lastTransitionTime?: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly reason: string;
  /** True, False, Unknown. */
  readonly status: string;
  readonly type: string;
}

export interface FromNamespaces {
  /** All, Selector, Same, None. */
  readonly from?: string;
  readonly selector?: LabelSelector;
}

export interface GatewayListener {
  readonly allowedRoutes?: {
    readonly kinds?: readonly {
      readonly group?: string;
      readonly kind: string;
    }[];
    readonly namespaces?: FromNamespaces;
  };
  readonly filters?: {
    readonly requests?: readonly RouteFilter[];
  };
  readonly hostname?: string;
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly tls?: {
    readonly certificateRefs?: readonly SecretReference[];
    /** Terminate, Passthrough. */
    readonly mode?: string;
    readonly options?: Readonly<Record<string, string>>;
  };
}

export interface SecretReference {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface FrontendTls {
  readonly validation?: {
    readonly caCertificateRefs: readonly ObjectReference[];
    /** AllowValidOnly, AllowInsecureFallback. */
    readonly mode?: string;
  };
}

export interface WireListenerStatus {
  readonly attachedRoutes: number;
  readonly conditions: readonly WireCondition[];
  readonly name: string;
  readonly supportedKinds?: readonly {
    readonly group?: string;
    readonly kind: string;
  }[];
}

export interface ParentReference {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
  readonly sectionName?: string;
}

export interface HttpRouteRule {
  readonly backendRefs?: readonly RouteBackendRef[];
  readonly filters?: readonly RouteFilter[];
  readonly matches?: readonly HttpRouteMatch[];
  readonly name?: string;
  readonly retry?: HttpRouteRetry;
  readonly sessionPersistence?: SessionPersistenceSpec;
  readonly timeouts?: {
    readonly backendRequest?: string;
    readonly request?: string;
  };
}

export interface RouteStatus {
  readonly parents?: readonly RouteParentStatus[];
}

export interface GrpcRouteRule {
  readonly backendRefs?: readonly RouteBackendRef[];
  readonly filters?: readonly RouteFilter[];
  readonly matches?: readonly {
    readonly headers?: readonly ValueMatch[];
    readonly method?: {
      readonly method?: string;
      readonly service?: string;
      /** Exact, RegularExpression. */
      readonly type?: string;
    };
  }[];
  readonly name?: string;
  readonly sessionPersistence?: SessionPersistenceSpec;
}

export interface StreamRouteRule {
  readonly backendRefs: readonly StreamBackendRef[];
  readonly name?: string;
}

export interface PolicyTargetReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly sectionName?: string;
}

export interface PolicyStatus {
  readonly ancestors?: readonly PolicyAncestorStatus[];
}

export interface LabelSelector {
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
  readonly matchLabels?: Readonly<Record<string, string>>;
}

export interface RouteFilter {
  readonly extensionRef?: ObjectReference;
  readonly externalAuth?: ExternalAuthFilter;
  /** ExternalAuth, ExtensionRef, RequestHeaderModifier, ResponseHeaderModifier, RequestMirror, RequestRedirect, URLRewrite, CORS. */
  readonly type: string;
  readonly cors?: {
    readonly allowCredentials?: boolean;
    readonly allowHeaders?: readonly string[];
    readonly allowMethods?: readonly string[];
    readonly allowOrigins?: readonly string[];
    readonly exposeHeaders?: readonly string[];
    readonly maxAge?: number;
  };
  readonly requestHeaderModifier?: HeaderModifier;
  readonly requestMirror?: {
    readonly backendRef: BackendReference;
    readonly fraction?: {
      readonly denominator?: number;
      readonly numerator: number;
    };
    readonly percent?: number;
  };
  readonly requestRedirect?: {
    readonly hostname?: string;
    readonly path?: PathModifier;
    readonly port?: number;
    /** http, https. */
    readonly scheme?: string;
    /** 301, 302, 303, 307, 308. */
    readonly statusCode?: number;
  };
  readonly responseHeaderModifier?: HeaderModifier;
  readonly urlRewrite?: {
    readonly hostname?: string;
    readonly path?: PathModifier;
  };
}

export interface RouteBackendRef {
  readonly filters?: readonly RouteFilter[];
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
  readonly weight?: number;
}

export interface HttpRouteMatch {
  readonly headers?: readonly ValueMatch[];
  /** GET, HEAD, POST, PUT, DELETE, CONNECT, OPTIONS, TRACE, PATCH. */
  readonly method?: string;
  readonly path?: {
    /** Exact, PathPrefix, RegularExpression. */
    readonly type?: string;
    readonly value?: string;
  };
  readonly queryParams?: readonly ValueMatch[];
}

export interface HttpRouteRetry {
  readonly attempts?: number;
  readonly backoff?: string;
  readonly codes?: readonly number[];
}

export interface SessionPersistenceSpec {
  readonly absoluteTimeout?: string;
  readonly cookie?: {
    /** Permanent, Session. */
    readonly lifetimeType?: string;
    readonly name?: string;
    readonly path?: string;
  };
  readonly header?: {
    readonly name: string;
  };
  /** Cookie, Header. */
  readonly type?: string;
  readonly idleTimeout?: string;
  readonly sessionName?: string;
  readonly cookieConfig?: {
    /** Permanent, Session. */
    readonly lifetimeType?: string;
  };
}

export interface RouteParentStatus {
  readonly conditions?: readonly WireCondition[];
  readonly controllerName: string;
  readonly parentRef: ParentReference;
}

export interface ValueMatch {
  readonly name: string;
  /** Exact, RegularExpression. */
  readonly type?: string;
  readonly value: string;
}

export interface StreamBackendRef {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
  readonly weight?: number;
}

export interface PolicyAncestorStatus {
  readonly ancestorRef: ParentReference;
  readonly conditions?: readonly WireCondition[];
  readonly controllerName: string;
}

export interface ExternalAuthFilter {
  readonly backendRef: BackendReference;
  readonly forwardBody?: {
    readonly maxSize?: number;
  };
  readonly grpc?: {
    readonly allowedHeaders?: readonly string[];
  };
  readonly http?: {
    readonly allowedHeaders?: readonly string[];
    readonly allowedResponseHeaders?: readonly string[];
    readonly path?: string;
  };
  /** HTTP, GRPC. */
  readonly protocol: string;
}

export interface HeaderModifier {
  readonly add?: readonly {
    readonly name: string;
    readonly value: string;
  }[];
  readonly remove?: readonly string[];
  readonly set?: readonly {
    readonly name: string;
    readonly value: string;
  }[];
}

export interface BackendReference {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
}

export interface PathModifier {
  readonly replaceFullPath?: string;
  readonly replacePrefixMatch?: string;
  /** ReplaceFullPath, ReplacePrefixMatch. */
  readonly type: string;
}
