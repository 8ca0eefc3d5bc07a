/** Manifests of the rules, as Ingresses, as Rules of an ALB2 or as HTTPRoutes. */
import { gatewayOn, httpRoute } from "../harness/gateway-manifests.js";
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
} from "../harness/manifests.js";
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
}

const USERS = "bench-users";
const OWNER = { alb: "bench", frontend: "bench" };

/** Every rule has a Service of its own. */
export function services(options: SiteOptions): Manifest[] {
  const shared = [namespace("default"), ...users(options.access)];
  const own = rules(options.count).flatMap(({ index }) =>
    service(serviceName(index), [{ port: options.backend }]),
  );
  return [...shared, ...own];
}

export function ingresses(options: SiteOptions): Manifest[] {
  return rules(options.count).map(({ index, host, path }) =>
    ingress(`app-${index}`, {
      annotations: annotations(options.access),
      hosts: { [host]: [{ path, service: serviceName(index) }] },
    }),
  );
}

/** With the ALB2 and the Frontend on `port`. */
export function albRules(options: SiteOptions, port: number): Manifest[] {
  return [
    alb2(OWNER.alb, { ingressHTTPPort: 0, ingressHTTPSPort: 0 }),
    frontend(OWNER.frontend, OWNER.alb, { port }),
    ...rules(options.count).map((one) => albRule(one, options.access)),
  ];
}

/** Each rule is an HTTPRoute; with the Gateway on `port`. They are open to all. */
export function httpRoutes({ count }: Pick<SiteOptions, "count">, port: number): Manifest[] {
  return [
    ...gatewayOn({ http: port }),
    ...rules(count).map(({ index, host, path }) =>
      httpRoute(`app-${index}`, [host], [{ path, service: serviceName(index) }]),
    ),
  ];
}

export function serviceName(index: number): string {
  return `app-${index}`;
}

function albRule({ index, host, path }: Rule, access: Access): Manifest {
  const auth = albAuth(access);
  return rule(`app-${index}`, OWNER, {
    domain: host,
    url: path,
    dslx: [
      { type: "HOST", values: [["EQ", host]] },
      { type: "URL", values: [["STARTS_WITH", path]] },
    ],
    ...(auth && { config: { auth } }),
    serviceGroup: serviceGroup({ [serviceName(index)]: 100 }),
  });
}

function users(access: Access): Manifest[] {
  if (access.kind !== "basic") return [];
  return ["default", ALB_NAMESPACE].map((space) => secret(USERS, { auth: access.htpasswd }, space));
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

function albAuth(access: Access): Record<string, unknown> | undefined {
  switch (access.kind) {
    case "open":
      return undefined;
    case "basic":
      return {
        basic: { realm: "", secret: `${ALB_NAMESPACE}/${USERS}`, secret_type: "auth-file" },
      };
    case "forward":
      return { forward: { url: access.url } };
  }
}
