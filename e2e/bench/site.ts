/** Manifests of the rules, as Ingresses, as Rules of an ALB2 or as HTTPRoutes. */
import { authFilter, authPolicy, gatewayOn, httpRoute } from "../harness/gateway-manifests.js";
import {
  ALB_NAMESPACE,
  type Manifest,
  alb2,
  frontend,
  ingress,
  namespace,
  nginx,
  rule,
  secret,
  service,
  serviceGroup,
  tlsSecret,
} from "../harness/manifests.js";
import type { KeyPair } from "../harness/certificates.js";
import { type Rule, rules } from "./traffic.js";

export type Access =
  | { readonly kind: "open" }
  /** `htpasswd`: one line. */
  | { readonly kind: "basic"; readonly htpasswd: string }
  | { readonly kind: "forward"; readonly url: string };

export interface SiteOptions {
  readonly count: number;
  readonly access: Access;
  /** Port of the backend behind every Service. */
  readonly backend: number;
  /** Ingresses are for TLS, with this certificate. */
  readonly tls?: KeyPair | undefined;
}

const USERS = "bench-users";
const POLICY = "bench-auth";
const CERTIFICATE = "bench-tls";
const OWNER = { alb: "bench", frontend: "bench" };

/** What the rules are written as. */
export type RouteKind = "Ingress" | "HTTPRoute" | "Rule";

/** Every rule has a Service of its own. */
export function services(options: SiteOptions): Manifest[] {
  const own = rules(options.count).flatMap(({ index }) =>
    service(serviceName(index), [{ port: options.backend }]),
  );
  const certificate = options.tls ? [tlsSecret(CERTIFICATE, options.tls)] : [];
  return [namespace("default"), ...users(options.access), ...certificate, ...own];
}

/** All rules, with what they hang on. */
export function routes(kind: RouteKind, options: SiteOptions, port: number): Manifest[] {
  const own = rules(options.count).map((one) => routeOf(kind, one, options));
  return [...parents(kind, port, options.access), ...own];
}

export function routeOf(
  kind: RouteKind,
  { index, host, path }: Rule,
  { access, tls }: Pick<SiteOptions, "access" | "tls">,
): Manifest {
  const [name, service] = [`app-${index}`, serviceName(index)];
  const auth = authOf(access, kind === "Rule" ? ALB_NAMESPACE : "default");
  switch (kind) {
    case "Ingress":
      return ingress(name, {
        annotations: annotations(access),
        hosts: { [host]: [{ path, service }] },
        ...(tls && { tls: [{ hosts: [host], secretName: CERTIFICATE }] }),
      });
    case "HTTPRoute": {
      const filters = auth ? [authFilter(POLICY)] : [];
      return httpRoute(name, [host], [{ path, service, filters }]);
    }
    case "Rule":
      return rule(name, OWNER, {
        domain: host,
        url: path,
        dslx: [
          { type: "HOST", values: [["EQ", host]] },
          { type: "URL", values: [["STARTS_WITH", path]] },
        ],
        ...(auth && { config: { auth } }),
        serviceGroup: serviceGroup({ [service]: 100 }),
      });
  }
}

/** The Gateway or the ALB2 that listens on the port. All HTTPRoutes with auth name one AuthPolicy. */
export function parents(kind: RouteKind, port: number, access: Access): Manifest[] {
  switch (kind) {
    case "Ingress":
      return [];
    case "HTTPRoute": {
      const auth = authOf(access, "default");
      return [...gatewayOn({ http: port }), ...(auth ? [authPolicy(POLICY, auth)] : [])];
    }
    case "Rule":
      return [
        alb2(OWNER.alb, { ingressHTTPPort: 0, ingressHTTPSPort: 0 }),
        frontend(OWNER.frontend, OWNER.alb, { port }),
      ];
  }
}

/** The Secrets of basic auth. */
export function users(access: Access): Manifest[] {
  if (access.kind !== "basic") return [];
  return ["default", ALB_NAMESPACE].map((space) => secret(USERS, { auth: access.htpasswd }, space));
}

export function serviceName(index: number): string {
  return `app-${index}`;
}

function annotations(access: Access): Record<string, string> {
  switch (access.kind) {
    case "open":
      return {};
    case "basic":
      return nginx({ "auth-type": "basic", "auth-secret": USERS });
    case "forward":
      return nginx({ "auth-url": access.url });
  }
}

/** The Auth object of a Rule or an AuthPolicy; its users are in `space`. */
function authOf(access: Access, space: string): Record<string, unknown> | undefined {
  switch (access.kind) {
    case "open":
      return undefined;
    case "basic":
      return { basic: { realm: "", secret: `${space}/${USERS}`, secret_type: "auth-file" } };
    case "forward":
      return { forward: { url: access.url } };
  }
}
