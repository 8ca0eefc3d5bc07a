/** What `validate` says about text that does something else than what is meant, with its exact text: the message, and what to do. */
import { gateway, ingress, messages, route, service } from "../../support/validated.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

const NGINX = "nginx.ingress.kubernetes.io";
const withPath = (path: string, annotations = ""): string =>
  ingress(annotations).replace(
    "path: /, pathType: Prefix",
    `path: '${path}', pathType: ImplementationSpecific`,
  );
const withTls = (tls: string): string =>
  ingress("").replace("spec:\n  rules:", `spec:\n  tls: [${tls}]\n  rules:`);
const filter = (text: string, more = ""): string =>
  `${service()}${route(`rules: [{ ${more}filters: [${text}], backendRefs: [{ name: web, port: 80 }] }]`)}`;
const NO_FILTER = filter("");
const rewrite = (value: string): string =>
  filter(
    `{ type: URLRewrite, urlRewrite: { path: { type: ReplaceFullPath, replaceFullPath: '${value}' } } }`,
  );

const policy = (headers: string): string => `${NO_FILTER}---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: { name: p }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: r }]
  forward: { url: http://auth.example/, upstream_headers: [${headers}] }
`;

test.each<[string, string, string | readonly string[]]>([
  [
    "auth of another product",
    ingress("haproxy.org/auth-type: basic-auth"),
    "haproxy.org/auth-type has no effect here → did you mean nginx.ingress.kubernetes.io/auth-type?",
  ],
  [
    "auth of another product beside that of ingress-nginx",
    ingress(
      `ingress.kubernetes.io/auth-url: 'http://auth.example/', ${NGINX}/auth-url: 'http://auth.example/'`,
    ),
    [],
  ],
  [
    "auth of another product by another name",
    ingress("nginx.org/basic-auth-secret: s"),
    "nginx.org/basic-auth-secret has no effect here → protect the paths with auth-type or auth-url, if nothing else does",
  ],
  [
    "a domain with a letter too few",
    ingress("nginx.ingress.kubernets.io/auth-url: 'http://auth.example/'"),
    "its domain has no effect on an Ingress, and auth-url restricts access; this answers 503: a.example/ → did you mean nginx.ingress.kubernetes.io/?",
  ],
  [
    "a restricting annotation with a letter too few",
    ingress(`${NGINX}/auth-ur: 'http://auth.example/'`),
    '"auth-ur" is not an annotation that is known, and may be meant to restrict access; this answers 503: a.example/ → did you mean auth-url?',
  ],
  [
    "any other annotation with a letter too few",
    ingress(`${NGINX}/proxy-body-sze: 1m`),
    '"proxy-body-sze" is not an annotation that is known → did you mean proxy-body-size?',
  ],
  [
    "an Ingress's annotation on a route",
    NO_FILTER.replace(
      "name: r }",
      `name: r, annotations: { ${NGINX}/auth-url: 'http://auth.example/' } }`,
    ),
    "auth-url restricts access, but has no effect on objects of kind HTTPRoute → protect it in its spec or with an AuthPolicy, and remove the annotation",
  ],
  [
    "a capture that the path does not have",
    withPath("/a/(.*)", `${NGINX}/rewrite-target: /$2`),
    'rewrite-target: $2 is empty, since the path "/a/(.*)" has no such group → put that part of the path in parentheses, or leave the capture out',
  ],
  [
    "an unknown variable in a rewrite",
    withPath("/a/(.*)", `${NGINX}/rewrite-target: /$nonsense`),
    "rewrite-target: it has the unknown variable $nonsense; this answers 503: a.example (paths like ^/a/(.*)) → correct the value; the paths stay closed until then",
  ],
  [
    "an unknown variable in a redirect",
    ingress(`${NGINX}/permanent-redirect: 'https://b.example/$nonsense'`),
    "permanent-redirect: it has the unknown variable $nonsense; this answers 503: a.example/ → correct the value; the paths stay closed until then",
  ],
  [
    "an unknown variable in app-root",
    ingress(`${NGINX}/app-root: /$nonsense`),
    "app-root: it has the unknown variable $nonsense; this answers 503: a.example/ → correct the value; the paths stay closed until then",
  ],
  [
    "a pattern of header names",
    ingress(
      `${NGINX}/auth-url: 'http://auth.example/', ${NGINX}/auth-response-headers: 'X-Auth-Request-*'`,
    ),
    'auth-response-headers has the header name "X-Auth-Request-*"; names are letters, digits, - and _; this answers 503: a.example/ → correct the value; the paths stay closed until then',
  ],
  [
    "a pattern of header names in an AuthPolicy",
    policy("'X-Auth-*'"),
    'forward.upstream_headers has the header name "X-Auth-*"; names are letters, digits, - and _; this answers 503: all requests that are protected by AuthPolicy default/p → correct the value; the paths stay closed until then',
  ],
  [
    "an origin with a slash",
    ingress(`${NGINX}/enable-cors: 'true', ${NGINX}/cors-allow-origin: 'https://b.example/'`),
    'cors-allow-origin: "https://b.example/" has a slash at its end; leave it out → see docs/annotations.md for the values that it takes',
  ],
  [
    "an origin that is none",
    ingress(`${NGINX}/enable-cors: 'true', ${NGINX}/cors-allow-origin: 'https://b.example, b'`),
    'cors-allow-origin: "b" is none of origins, `*` for any → see docs/annotations.md for the values that it takes',
  ],
  [
    "a method and a header that are none",
    ingress(
      `${NGINX}/enable-cors: 'true', ${NGINX}/cors-allow-methods: 'P@ST', ${NGINX}/cors-allow-headers: 'a b'`,
    ),
    [
      'cors-allow-methods: "P@ST" is none of HTTP methods → see docs/annotations.md for the values that it takes',
      'cors-allow-headers: "a b" is none of header names → see docs/annotations.md for the values that it takes',
    ],
  ],
  [
    "an escape in a path",
    withPath("/a%20b"),
    '"/a%20b" is percent-encoded, and paths are compared decoded → write the characters themselves',
  ],
  [
    "a rule without paths",
    ingress("").replace(/\n {6}http:.*/, ""),
    "a rule has no paths and the Ingress no defaultBackend, so its host answers 404 → give the rule paths, or the Ingress a defaultBackend",
  ],
  [
    "two objects of one name",
    `${ingress("")}---${ingress("").slice(service().length)}`,
    "there is already an Ingress default/i; this one is not served → rename or remove one of them",
  ],
  [
    "TLS without a Secret's name",
    withTls("{ hosts: [a.example] }"),
    "no certificate is for a.example: its TLS has no secretName, so clients get a self-signed one and refuse it → name a Secret with a certificate that has the host as a DNS name, or set the option defaultCertificate to one that is for it",
  ],
  [
    "TLS with a Secret that is missing",
    withTls("{ hosts: [a.example], secretName: none }"),
    [
      "there is no Secret default/none → create a Secret of type kubernetes.io/tls with tls.crt (leaf first) and tls.key",
      "no certificate is for a.example: its TLS names Secret default/none, which can't be used, so clients get a self-signed one and refuse it → name a Secret with a certificate that has the host as a DNS name, or set the option defaultCertificate to one that is for it",
    ],
  ],
  [
    "a query in a path",
    rewrite("/a?x=1"),
    '"/a?x=1" is a path here: its ? is sent as %3F → write the value itself; on an Ingress, rewrite-target and permanent-redirect expand variables',
  ],
  [
    "a fragment in a path",
    rewrite("/a#x"),
    '"/a#x" is a path here: its # is sent as %23 → write the value itself; on an Ingress, rewrite-target and permanent-redirect expand variables',
  ],
  [
    "a URL as a path",
    rewrite("https://b.example/a"),
    '"https://b.example/a" is a path here, not a URL → write the value itself; on an Ingress, rewrite-target and permanent-redirect expand variables',
  ],
  [
    "a capture in a path",
    rewrite("/$1"),
    '"/$1" is sent as it is written: $1 is not expanded → write the value itself; on an Ingress, rewrite-target and permanent-redirect expand variables',
  ],
  [
    "a variable in a header",
    filter(
      "{ type: RequestHeaderModifier, requestHeaderModifier: { set: [{ name: X-A, value: $remote_addr }] } }",
    ),
    "the value of X-A is sent as it is written: $remote_addr is not expanded → write the value itself; on an Ingress, rewrite-target and permanent-redirect expand variables",
  ],
  [
    "CORS without preflights",
    filter("{ type: CORS, cors: { allowOrigins: ['*'] } }", "matches: [{ method: GET }], "),
    "no preflight reaches this filter: every match of the rule names a method other than OPTIONS, or a header → add a match with method OPTIONS, or without method and headers",
  ],
  [
    "a rewrite for HTTP/2",
    filter(
      "{ type: URLRewrite, urlRewrite: { path: { type: ReplacePrefixMatch, replacePrefixMatch: /b } } }",
    ).replace("port: 80 }]", "port: 80, appProtocol: kubernetes.io/h2c }]"),
    "requests get 400 if an escape such as %2F or %41 stands in the rewritten path to an HTTP/2 backend → leave the path as it is, or serve the port by HTTP/1.1, if clients send such paths",
  ],
  [
    "a TLS listener for a host of HTTPS",
    gateway(
      "port: 443, protocol: TLS, hostname: a.example, tls: { mode: Passthrough } }, { name: b, port: 443, protocol: HTTPS, tls: { certificateRefs: [{ name: s }] }",
    ),
    [
      "listener b of Gateway default/gw is for every host on the same port → nothing needs to be done; certificates without common names make clients open a new connection at once",
      "listener a of Gateway default/gw is for a.example on the same port → nothing needs to be done; certificates without common names make clients open a new connection at once",
      "there is no Secret default/s → correct the reference or the object, or create a ReferenceGrant in its namespace",
    ],
  ],
])("%s", async (_, input, expected) => {
  expect(await messages(folder(), { "a.yaml": input })).toEqual([expected].flat());
});
