import { DEFAULT_OPTIONS } from "../../../../../src/model/options.js";
import { parseAnnotationKey } from "../../../../../src/translate/ingress/annotations/annotation-key.js";

const { domains } = DEFAULT_OPTIONS;
const COMPAT = "nginx.ingress.kubernetes.io";
const OWN = "alb.ingress.cpaas.io";

it.each([
  [`${COMPAT}/auth-url`, { prefix: "compat", name: "auth-url" }],
  [`${OWN}/auth-url`, { prefix: "own", name: "auth-url" }],
  [`index.1-20.${OWN}/x`, { prefix: "index", name: "x", index: { rule: 1, path: 20 } }],
  [`index.01-2.${OWN}/x`, { prefix: "index", name: "x" }],
  [`index.1.${OWN}/x`, { prefix: "index", name: "x" }],
])("%s", (key, expected) => {
  expect(parseAnnotationKey(key, domains)).toEqual(expected);
});

it.each([
  ["ngnix.ingress.kubernetes.io/auth-url", "compat", COMPAT],
  ["NGINX.ingress.kubernetes.io/auth-url", "compat", COMPAT],
  ["alb.ingress.cpas.io/auth-url", "own", OWN],
  [`index.3-4.alb.ingres.cpaas.io/auth-url`, "index", `index.0-0.${OWN}`],
])("the domain of %s is misspelt", (key, prefix, meant) => {
  expect(parseAnnotationKey(key, domains)).toEqual({ prefix, name: "auth-url", meant });
});

it.each([
  "ingress.kubernetes.dev/auth-url",
  "nginx.ingress.kubernetes.io.auth-url",
  `more.${OWN}/auth-url`,
  "cert-manager.io/issuer",
  "kubectl.kubernetes.io/last-applied-configuration",
  "alb.ingress.kubernetes.io/auth-type",
])("%s is of another domain", (key) => {
  expect(parseAnnotationKey(key, domains)).toBeUndefined();
});
