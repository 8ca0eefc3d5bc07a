/** Annotations and an AuthPolicy that say the same give the data plane the same auth. */
import { AUTH_SURFACES, type AuthSurface, type Settings } from "../../e2e/harness/auth-surfaces.js";
import { configMap, secret, service, yaml } from "../../e2e/harness/manifests.js";
import { compile } from "../../src/compile.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { HASH } from "../support/auth-translator.js";
import { fc, runs } from "../support/fast-check.js";

const SHARED = [
  service("web", [{ port: 8080 }]),
  service("auth", [{ port: 8081 }]),
  secret("users", { auth: `ann:${HASH}` }),
  configMap("headers", { "X-Tenant": "blue", "X-Who": "$http_x_user@$host" }),
];

const basic = fc.record(
  {
    "auth-type": fc.constant("basic"),
    "auth-realm": fc.constantFrom("shop", 'a "b"'),
    "auth-secret": fc.constantFrom("users", "default/users", "missing"),
    "auth-secret-type": fc.constantFrom("auth-file", "auth-map"),
  },
  { requiredKeys: ["auth-type", "auth-secret"] },
);
const forward = fc.record(
  {
    "auth-url": fc.constantFrom(
      "http://auth.example/$host/${arg_id}?uri=$escaped_request_uri",
      "http://auth.default.svc.cluster.local/check",
      "https://$http_x_auth_host:8443$request_uri",
      "http://",
    ),
    "auth-method": fc.constantFrom("GET", "POST", "HEAD"),
    "auth-proxy-set-headers": fc.constantFrom("default/headers", "default/missing"),
    "auth-request-redirect": fc.constant("https://$host/back"),
    "auth-response-headers": fc.constantFrom("X-User", "X-User,x-groups,Authorization"),
    "auth-signin": fc.constantFrom("https://login.example/?a=1", "$scheme://$http_host/start"),
    "auth-signin-redirect-param": fc.constantFrom("back", "rd"),
    "auth-always-set-cookie": fc.constant("true"),
  },
  { requiredKeys: ["auth-url"] },
);
const settings = fc.oneof(
  basic,
  forward,
  fc.tuple(basic, forward).map(([one, other]) => ({ ...one, ...other })),
);

/** The auth of the site's routes, without the names and places of the objects that it came from. */
function authOf(surface: AuthSurface, written: Settings): unknown {
  const { resources } = resourcesFromYaml(
    yaml(...SHARED, surface.shared(80), surface.site("shop", written)),
  );
  const { auths, routes } = compile(resources, DEFAULT_OPTIONS).config;
  return {
    auths: auths.map(({ id: _id, source: _source, invalid, ...methods }) => ({
      isInvalid: invalid !== undefined,
      ...methods,
    })),
    protectedRoutes: routes.filter(({ auth = [] }) => auth.length > 0).length,
  };
}

test("an AuthPolicy is what the same annotations are", () => {
  fc.assert(
    fc.property(settings, (written) => {
      const [ingress, route] = AUTH_SURFACES.map((surface) => authOf(surface, written));
      expect(ingress).toMatchObject({ protectedRoutes: 1 });
      expect(route).toEqual(ingress);
    }),
    runs(40),
  );
});
