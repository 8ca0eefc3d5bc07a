/**
 * The two places where the auth of a site can be written. Both give the data plane the same auth (test/property/auth-surfaces), so
 * a spec that is about the data plane alone uses `INGRESS`.
 */
import { type Fields, authPolicy, gatewayOn, httpRoute } from "./gateway-manifests.js";
import { type Manifest, ingress, nginx } from "./manifests.js";

/** Settings by their annotation's name without prefix; besides auth: `enable-cors`, `cors-allow-origin`, `rewrite-target` of a path without captures, `upstream-vhost`. */
export type Settings = Readonly<Record<string, string>>;

export interface Site {
  readonly service?: string;
  /** Where the settings hold; the rest of the host is open when this is not `/`. */
  readonly path?: string;
}

export interface AuthSurface {
  readonly name: string;
  readonly kind: "ingress" | "route";
  /** What all sites on the port need. */
  shared(port: number): readonly Manifest[];
  /** The host `<name>.example`. */
  site(name: string, settings: Settings, site?: Site): readonly Manifest[];
}

export const INGRESS: AuthSurface = {
  name: "annotations of an Ingress",
  kind: "ingress",
  shared: () => [],
  site: (name, settings, { service = "web", path = "/" } = {}) => {
    const host = `${name}.example`;
    const open =
      path === "/" ? [] : [ingress(`${name}-open`, { hosts: { [host]: [{ service }] } })];
    const hosts = { [host]: [{ path, service }] };
    return [...open, ingress(name, { annotations: nginx(settings), hosts })];
  },
};

const ROUTE: AuthSurface = {
  name: "an AuthPolicy of an HTTPRoute",
  kind: "route",
  shared: (port) => gatewayOn({ http: port }),
  site: (name, settings, { service = "web", path = "/" } = {}) => {
    const host = `${name}.example`;
    const open = path === "/" ? [] : [httpRoute(`${name}-open`, [host], [{ service }])];
    const filters = filtersOf(settings);
    return [
      ...open,
      httpRoute(name, [host], [{ path, service, filters }]),
      authPolicy(name, authOf(settings), [`HTTPRoute/${name}`]),
    ];
  },
};

export const AUTH_SURFACES: readonly AuthSurface[] = [INGRESS, ROUTE];

/** Field of the Auth object of each annotation. */
const FIELDS: Readonly<Record<string, readonly ["basic" | "forward", string]>> = {
  "auth-type": ["basic", "auth_type"],
  "auth-realm": ["basic", "realm"],
  "auth-secret": ["basic", "secret"],
  "auth-secret-type": ["basic", "secret_type"],
  "auth-url": ["forward", "url"],
  "auth-method": ["forward", "method"],
  "auth-proxy-set-headers": ["forward", "auth_headers_cm_ref"],
  "auth-request-redirect": ["forward", "auth_request_redirect"],
  "auth-response-headers": ["forward", "upstream_headers"],
  "auth-signin": ["forward", "signin"],
  "auth-signin-redirect-param": ["forward", "signin_redirect_param"],
  "auth-always-set-cookie": ["forward", "always_set_cookie"],
};

function authOf(settings: Settings): Fields {
  const auth: Record<string, Record<string, unknown>> = {};
  for (const [name, value] of Object.entries(settings)) {
    const field = FIELDS[name];
    if (field !== undefined)
      auth[field[0]] = { ...auth[field[0]], [field[1]]: valueOf(name, value) };
  }
  return auth;
}

function valueOf(name: string, value: string): unknown {
  if (name === "auth-response-headers") return value.split(",");
  if (name === "auth-secret" && !value.includes("/")) return `default/${value}`;
  return name === "auth-always-set-cookie" && value === "true" ? true : value;
}

function filtersOf(settings: Settings): readonly Fields[] {
  const { "rewrite-target": path, "upstream-vhost": hostname } = settings;
  const replaced = path !== undefined && {
    path: { type: "ReplaceFullPath", replaceFullPath: path },
  };
  return [
    ...(settings["enable-cors"] === "true"
      ? [
          {
            type: "CORS",
            cors: {
              allowOrigins: [settings["cors-allow-origin"] ?? "*"],
              allowMethods: ["*"],
              allowCredentials: true,
            },
          },
        ]
      : []),
    ...(path !== undefined || hostname !== undefined
      ? [
          {
            type: "URLRewrite",
            urlRewrite: { ...replaced, ...(hostname !== undefined && { hostname }) },
          },
        ]
      : []),
  ];
}
