/** What `validate` says about mistakes from the field, with its exact text: the message, and what to do. */
import {
  gateway,
  ingress,
  messages,
  route,
  rule,
  secret,
  service,
} from "../../support/validated.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

const NBSP = "\u00a0";

const utf16 = Buffer.from("\ufefffoo:$apr1$abcdefgh$x\n", "utf16le").toString("base64");
const LEAVE_OUT = "→ leave it out: without it, every host is meant";
const DNS_NAME = "a DNS name such as a.example or *.a.example";
const CERTIFICATE =
  "→ add tls.certificateRefs with the name of the Secret that has the certificate";
const HELM = "give albc the output of the template, such as `helm template … | albc validate -f -`";
const KUSTOMIZE =
  "give albc the output of kustomize, such as `kustomize build … | albc validate -f -`";
const SPACE = "→ replace the no-break space (U+00A0) by a plain space";
const QUOTE = "→ replace the typographic quote (U+201C) by ' or \"";

test.each<[string, string | Readonly<Record<string, string>>, string | readonly string[]]>([
  [
    "a listener of protocol HTTPS with mode Passthrough",
    gateway("port: 443, protocol: HTTPS, tls: { mode: Passthrough }"),
    "a listener of protocol HTTPS must have the mode Terminate → to pass TLS on to the backend, use protocol TLS and a TLSRoute",
  ],
  [
    "a listener of protocol HTTPS without a certificate",
    gateway("port: 443, protocol: HTTPS"),
    `the listener names no certificate ${CERTIFICATE}`,
  ],
  [
    "a listener of protocol HTTPS with empty tls",
    gateway("port: 443, protocol: HTTPS, tls: {}"),
    `tls with mode Terminate needs certificateRefs or options ${CERTIFICATE}`,
  ],
  [
    "any hostname of a listener as a star",
    gateway('port: 80, protocol: HTTP, hostname: "*"'),
    `hostname must be ${DNS_NAME}, but is "*" ${LEAVE_OUT}`,
  ],
  [
    "any hostname of a route as a star",
    route('hostnames: ["*"]'),
    `an item of hostnames must be ${DNS_NAME}, but is "*" ${LEAVE_OUT}`,
  ],
  [
    "any host of an Ingress as a star",
    ingress("", { host: "*" }),
    `the host "*" may hold '*' only as its whole first label, as in '*.example.com' ${LEAVE_OUT}`,
  ],
  [
    "a filter with a letter too many",
    route("rules: [{ filters: [{ type: URLRewritee, urlRewrite: { hostname: a.example } }] }]"),
    '"URLRewritee" is none of RequestHeaderModifier, ResponseHeaderModifier, RequestMirror, ExtensionRef, RequestRedirect, URLRewrite, CORS, ExternalAuth; this answers 500: */ → did you mean URLRewrite?',
  ],
  [
    "the path type of an Ingress in a route",
    route("rules: [{ matches: [{ path: { type: Prefix, value: /a } }] }]"),
    '"Prefix" is none of Exact, PathPrefix, RegularExpression; this answers 500: */a → did you mean PathPrefix?',
  ],
  [
    "an operator of a Rule without its underscore",
    rule("{ type: URL, values: [[STARTSWITH, /a]] }"),
    'the operator "STARTSWITH" is none of EQ, IN, STARTS_WITH, ENDS_WITH, REGEX, RANGE, EXIST; this answers 500: * (all paths) → did you mean STARTS_WITH?',
  ],
  [
    "another product's field of an AuthPolicy",
    `
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: { name: p }
spec: { basicAuth: {}, targetRefs: [] }
`,
    "spec has no field basicAuth → did you mean basic?",
  ],
  [
    "a duration as a number",
    route("rules: [{ timeouts: { request: 10 } }]"),
    "request must be a string, but is 10 → add the unit, such as 10s",
  ],
  [
    "a duration without its unit",
    route('rules: [{ timeouts: { request: "10" } }]'),
    'request must be a duration such as 10s or 500ms, but is "10" → add the unit, such as 10s',
  ],
  [
    "a merge conflict",
    "<<<<<<< HEAD\nkind: A\n=======\nkind: B\n>>>>>>> main\n",
    "a merge conflict that was not resolved → keep one of the two sides, and remove the lines with <<<<<<<, ======= and >>>>>>>",
  ],
  [
    "a no-break space that breaks the YAML",
    route(`hostnames:\n-${NBSP}a.example`),
    `a character that only looks like one of YAML ${SPACE}`,
  ],
  [
    "a no-break space in a value",
    route(`hostnames: [a.example${NBSP}]`),
    `an item of hostnames must be ${DNS_NAME}, but is "a.example${NBSP}" ${SPACE}`,
  ],
  [
    "a no-break space before a key",
    route(`${NBSP}hostnames: [a.example]`),
    `spec has no field ${NBSP}hostnames ${SPACE}`,
  ],
  [
    "typographic quotes in a field",
    route("hostnames: [“a.example”]"),
    `an item of hostnames must be ${DNS_NAME}, but is "“a.example”" ${QUOTE}`,
  ],
  [
    "typographic quotes in an annotation",
    ingress("nginx.ingress.kubernetes.io/ssl-redirect: “false”"),
    `ssl-redirect: "“false”" is neither true nor false ${QUOTE}`,
  ],
  [
    "two origins of a list that can't be read",
    ingress(
      'nginx.ingress.kubernetes.io/enable-cors: "true", nginx.ingress.kubernetes.io/cors-allow-origin: "*.a, https://ok.example, b"',
    ),
    'cors-allow-origin: "*.a", "b" are none of origins, `*` for any → see docs/annotations.md for the values that it takes',
  ],
  [
    "two addresses of a source range that can't be read",
    ingress('nginx.ingress.kubernetes.io/whitelist-source-range: "10.0.0.0/99, a, 10.0.0.0/8"'),
    'whitelist-source-range: "10.0.0.0/99", "a" are neither addresses nor CIDRs; this answers 503: a.example/ → correct the value; the paths stay closed until then',
  ],
  [
    "a variable that is unknown",
    ingress("nginx.ingress.kubernetes.io/app-root: /$nope"),
    "app-root: it has the unknown variable $nope; this answers 503: a.example/ → correct the value; the paths stay closed until then",
  ],
  [
    "a kustomization",
    {
      "kustomization.yaml":
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
    },
    `not read: 1 × kustomize.config.k8s.io/v1beta1 Kustomization; ${KUSTOMIZE}`,
  ],
  [
    "a kustomization without apiVersion and kind",
    { "kustomization.yaml": "resources: [a.yaml]\n" },
    `a Kubernetes object needs apiVersion → ${KUSTOMIZE}`,
  ],
  [
    "a chart",
    {
      "Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n",
      "values.yaml": "image: x\n",
      "templates/a.yaml": "metadata:\n  name: {{ .Release.Name }}\n  {{- if .Values.x }}\n",
    },
    [
      `a Kubernetes object needs kind → this folder is a chart: ${HELM}`,
      `a template that was not rendered → ${HELM}`,
      `a Kubernetes object needs apiVersion → values are of a chart: ${HELM}`,
    ],
  ],
  [
    "a JSON patch",
    "- { op: replace, path: /spec/rules/0/host, value: a.example }\n",
    `a Kubernetes object was expected, but this is a list → this is a JSON patch: ${KUSTOMIZE}`,
  ],
  [
    "a Secret encrypted by SOPS",
    secret('data: { auth: "ENC[AES256_GCM,data:x]" }\nsops: { version: 3.8.1 }'),
    "the object is encrypted by SOPS → give albc the output of `sops decrypt`",
  ],
  [
    "an htpasswd file in UTF-16",
    `${secret(`data: { auth: ${utf16} }`)}---${ingress("nginx.ingress.kubernetes.io/auth-type: basic, nginx.ingress.kubernetes.io/auth-secret: s")}`,
    "secret default/s has UTF-16 text in auth, which must be UTF-8; this answers 503: a.example/ → give an auth-file secret the key `auth` with lines <user>:<apr1 hash>, an auth-map secret one key for each user with the apr1 hash; `openssl passwd -apr1` prints hashes",
  ],
  [
    "a Service of another namespace",
    ingress("", { services: service("prod") }),
    "there is no Service default/web → put both into one namespace: there is a Service prod/web",
  ],
  [
    "a redirect to the name with www",
    ingress('nginx.ingress.kubernetes.io/from-to-www-redirect: "true"'),
    "from-to-www-redirect has no effect. Use an Ingress for the other name with alb.ingress.cpaas.io/redirect-host. → remove the annotation; docs/annotations.md says what to use instead",
  ],
  [
    "a redirect in a snippet",
    ingress(
      'nginx.ingress.kubernetes.io/server-snippet: "return 301 https://b.example$request_uri;"',
    ),
    "server-snippet has no effect. Text of users never becomes nginx configuration. The option snippets: translate does what its directives say, one by one; this answers 503: a.example/ → restrict access by source ranges or authentication and remove the setting, or set the option unsupportedRestrictions to report",
  ],
  [
    "a location of a snippet that denies",
    ingress('nginx.ingress.kubernetes.io/server-snippet: "location /admin { deny all; }"'),
    "server-snippet has no effect. Text of users never becomes nginx configuration. The option snippets: translate does what its directives say, one by one; this answers 503: a.example/admin → restrict access by source ranges or authentication and remove the setting, or set the option unsupportedRestrictions to report",
  ],
  [
    "a route whose Gateway is elsewhere",
    route("rules: [{ matches: [{ path: { type: Prefix } }] }]").replace(
      "name: gw }]",
      "name: x }]",
    ),
    [
      "there is no Gateway x → correct the name or namespace of the parent, or create it",
      '"Prefix" is none of Exact, PathPrefix, RegularExpression → did you mean PathPrefix?',
    ],
  ],
  [
    "a route without parents",
    route("rules: [{ backendRefs: [{ name: none, port: 80 }] }]").replace(
      "parentRefs: [{ name: gw }]",
      "parentRefs: []",
    ),
    [
      "the route names no parent, so nothing serves it → correct the name or namespace of the parent, or create it",
      "there is no Service default/none → create the Service, or correct name, namespace or port",
    ],
  ],
  [
    "a TCPRoute whose Gateway is elsewhere",
    route("rules: [{ backendRefs: [{ name: none, port: 80 }] }]")
      .replace("name: gw }]", "name: x }]")
      .replace("HTTPRoute", "TCPRoute"),
    [
      "there is no Gateway x → correct the name or namespace of the parent, or create it",
      "there is no Service default/none → create the Service, or correct name, namespace or port",
    ],
  ],
])("%s", async (_, input, expected) => {
  const files = typeof input === "string" ? { "a.yaml": input } : input;
  expect(await messages(folder(), files)).toEqual([expected].flat());
});

test.each(["a.example.", "a.example/", "a.example:80", "http://a.example/x", "A.example"])(
  "the host %s",
  async (host) => {
    expect(await messages(folder(), { "a.yaml": ingress("", { host }) })).toEqual([
      `the host "${host}" must consist of lower-case letters, digits, '-' and '.', and begin and end with a letter or digit → did you mean "a.example"?`,
    ]);
  },
);
