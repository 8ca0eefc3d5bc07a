import {
  ANNOTATIONS,
  restrictsAccess,
  unknownAnnotation,
} from "../../../../src/translate/ingress/annotation-table.js";

it.each(ANNOTATIONS.map(({ name }) => name))("%s is known", (name) => {
  expect(unknownAnnotation(name)).toBeUndefined();
});

it.each([
  ["auth-tpye", "auth-type"],
  ["Auth-Url", "auth-url"],
  ["authurl", "auth-url"],
  ["auth-uri", "auth-url"],
  ["auth-sercet", "auth-secret"],
  ["auth-sign-in", "auth-signin"],
  ["auth-responce-headers", "auth-response-headers"],
  ["auth-tls-secrets", "auth-tls-secret"],
  ["whitelist-source-ranges", "whitelist-source-range"],
  ["allow-list-source-range", "allowlist-source-range"],
  ["blacklist-source-range", "denylist-source-range"],
  ["denylist", "denylist-source-range"],
  ["type", "auth-type"],
  ["secret", "auth-secret"],
  ["proxy-set-headers", "auth-proxy-set-headers"],
])("%s restricts, since %s does", (name, meant) => {
  expect(unknownAnnotation(name)?.meant).toBe(meant);
  expect(restrictsAccess(name, "x")).toBe(true);
});

it.each(["auth-oidc-issuer", "basic-auth", "source-range-for-partners"])(
  "%s restricts by its family",
  (name) => {
    expect(unknownAnnotation(name)?.meant).toBeUndefined();
    expect(restrictsAccess(name, "x")).toBe(true);
  },
);

it.each([
  ["auth-enabled", "auth-enable"],
  ["auth-tls-verify-clients", "auth-tls-verify-client"],
  ["auth-cache-keys", "auth-cache-key"],
  ["enable-global-auths", "enable-global-auth"],
  ["proxy-read-timeuot", "proxy-read-timeout"],
  ["limit-whitelists", "limit-whitelist"],
])("%s restricts nothing, since %s does not", (name, meant) => {
  expect(unknownAnnotation(name)?.meant).toBe(meant);
  expect(restrictsAccess(name, "x")).toBe(false);
});

it.each(["owner", "something-else", "x", ""])("%j is just not known", (name) => {
  expect(unknownAnnotation(name)?.meant).toBeUndefined();
  expect(restrictsAccess(name, "x")).toBe(false);
});
