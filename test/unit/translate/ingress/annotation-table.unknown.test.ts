import {
  ANNOTATIONS,
  findAnnotation,
  meantAnnotation,
  restrictsAccess,
} from "../../../../src/translate/ingress/annotation-table.js";

it.each(ANNOTATIONS.map(({ name }) => name))("%s is known", (name) => {
  expect(findAnnotation(name)?.name).toBe(name);
});

it.each([
  ["auth-tpye", "auth-type"],
  ["Auth-Url", "auth-url"],
  ["authurl", "auth-url"],
  ["auth-uri", "auth-url"],
  ["auth-sercet", "auth-secret"],
  ["auth-tls-secrets", "auth-tls-secret"],
  ["whitelist-source-ranges", "whitelist-source-range"],
  ["allow-list-source-range", "allowlist-source-range"],
])("%s restricts, since it is one or two letters from %s", (name, meant) => {
  expect(meantAnnotation(name)).toBe(meant);
  expect(restrictsAccess(name, "x")).toBe(true);
  expect(restrictsAccess(name, " ")).toBe(false);
});

it.each([
  ...["auth-enabled", "auth-tls-verify-clients", "auth-cache-keys", "enable-global-auths"],
  ...["proxy-read-timeuot", "limit-whitelists", "blacklist-source-range", "denylist", "type"],
  ...["auth-oidc-issuer", "basic-auth", "source-range-for-partners", "owner", "x", ""],
])("%j restricts nothing", (name) => {
  expect(restrictsAccess(name, "x")).toBe(false);
});
