import type { AnyAnnotation } from "../../src/translate/ingress/annotations/annotation.js";
import { neverActs } from "../../src/translate/ingress/annotations/unsupported-table.js";
import { ANNOTATIONS } from "../../src/translate/ingress/annotation-table.js";
import { ORIGIN_ANNOTATIONS } from "../../src/translate/ingress/annotations/origin.js";
import { DIRECTIVES, SNIPPETS } from "../../src/translate/ingress/snippets/directives.js";
import { expectGenerated } from "../support/generated-file.js";

const INTRODUCTION = `# Annotations of Ingresses

albc reads annotations under three prefixes, highest priority first. The tables refer to them by number:

1. \`index.<rule>-<path>.alb.ingress.cpaas.io/\`: for one path of one rule, both counted from 0. \`<rule>\` counts every entry of
   \`spec.rules\`; \`<path>\` restarts in each rule.
2. \`alb.ingress.cpaas.io/\`: the load balancer's own.
3. \`nginx.ingress.kubernetes.io/\`: as in ingress-nginx.

Each name is looked up separately: the first prefix that has the key wins. An empty value counts as absent, but still hides the lower
prefixes. The domains are options (docs/options.md).

## Annotations that can't be honoured

albc reports every annotation that has a malformed value, is unsupported or unknown, is under a prefix where it is not read, or has an
index of no path. The last column of the tables says what happens then:

- *ignored*: the annotation only tunes. The paths are served without it.
- *unenforced*: the annotation limits how much, such as rates. The paths are served without the limit, and the report is an error.
- *closed*: the annotation decides who may pass, or redirects. Its paths answer 503 until it is corrected; other paths are not affected.
  A switch closes only if it is on. With the option \`unsupportedRestrictions: report\`, the paths are served and the report is an
  error; authentication stays closed.
- *unserved*: the Ingress is not served.
- *without effect, as before*: clients see no difference, so albc says nothing.

The same holds for values that ask for what happens anyway, such as \`false\` of a switch. An unknown name below the third prefix that is
not near to a known one never had an effect in ingress-nginx, either: albc says so as information. So it does for names below
\`ingress.kubernetes.io\` and \`kubernetes.io\`, which ingress-nginx does not read.

By default, snippets have no effect ([Snippets](#snippets) says how to change that). A snippet closes the paths of its Ingress unless all its
directives are known to be harmless: headers, timeouts, buffers, compression, caching, logs and rates, such as \`more_set_headers\`,
\`proxy_set_header\`, \`gzip\`. If all others stand in \`location\` blocks, only these locations are closed.

A name that is one or two letters away from a *closed* annotation closes its paths (\`auth-tpye\`). So does a *closed* annotation

- whose domain is one or two letters away from ours (\`ngnix.ingress.kubernetes.io\`), unless a domain that is read has the same name,
- that is not read under its prefix (\`redirect-host\` under the third one), or
- whose index points at no path.

## How paths are matched

HTTP and HTTPS serve the same paths. Hosts in \`spec.tls\` of any Ingress are redirected from HTTP to HTTPS unless \`ssl-redirect\` says
otherwise.

\`rewrite-target\` and \`use-regex\` put the whole host into regex mode, in every Ingress that names it. ImplementationSpecific paths match:

- on hosts in regex mode: as regular expressions,
- on other hosts of an ALB2: as case-sensitive regular expressions, anchored at the start, if they contain one of \`^$():?[]*\\\`;
  otherwise as the start of the path's text,
- on other hosts without an ALB2: as prefixes by path elements, as in ingress-nginx.

A request goes to the narrowest rule that matches its host and path, among all Ingresses and, with an ALB2, Rules. With an ALB2, requests
that no path of an exact host matches go to rules of a wildcard, then to rules without a host, then to default backends. Without one, as in
ingress-nginx, rules without a host and default backends without rules serve only hosts that no Ingress names.

This page is generated from the annotation table, \`src/translate/ingress/annotation-table.ts\`.
`;

const TITLES: Readonly<Record<AnyAnnotation["group"], string>> = {
  auth: "Authentication",
  access: "Access and limits",
  tls: "TLS",
  routing: "Matching",
  redirect: "Redirects",
  rewrite: "Rewriting",
  cors: "Cross-origin resource sharing",
  backend: "Backends",
  affinity: "Session affinity",
  canary: "Canaries",
  observability: "Logs, traces and metrics",
  waf: "Web application firewall",
  snippet: "Snippets",
};

const PREFIX: Readonly<Record<AnyAnnotation["prefixes"][number], string>> = {
  index: "1",
  own: "2",
  compat: "3",
};

const GROUPS = Object.keys(TITLES) as AnyAnnotation["group"][];

const SNIPPETS_TEXT = `
With the option \`snippets: translate\`, albc does what the directives of the table say, one by one, in nginx's order; no text of a snippet
becomes nginx configuration. A snippet changes only the paths of its own Ingress, also a \`server-snippet\`. Values may have the variables
of docs/auth.md. A path's own annotation replaces the Ingress's. Differences from ingress-nginx:

- Changes of requests are made after authentication. \`rewrite\`, \`return\`, \`set\` and \`if\` come first of all, before answers to preflights too.
- A location of a \`server-snippet\` that denies also does so on hosts in regex mode. \`limit_except\` answers 403.
- Rewrites that lead from path to path more than three times end with 500; nginx allows ten.
- A header that a snippet sets replaces the gateway's own, except headers of the connection, and X-Forwarded-*, X-Real-IP, X-Scheme and
  X-Request-ID.
- Responses get the headers of their path's snippets also on sign-in redirects and custom error pages.
- A request header whose value can't be read or sent is removed, so that the backend does not take the client's own for it.

All other directives are named by an error. The snippet's paths are served without them, unless they may restrict access: then they are
closed, as said above.

| directive | \`configuration-snippet\` | \`server-snippet\` | \`auth-snippet\` | what it does |
|---|---|---|---|---|
`;

function snippets(): string {
  const rows = DIRECTIVES.map((row) =>
    line(
      row.names.map((name) => `\`${name}\``).join(", "),
      ...SNIPPETS.map((name) =>
        row.read[name] ? "yes" : row.idleIn.includes(name) ? "never had an effect" : "no",
      ),
      row.doc,
    ),
  );
  return SNIPPETS_TEXT + rows.join("");
}

test("docs/annotations.md lists every annotation", () => {
  expectGenerated("docs/annotations.md", [INTRODUCTION, ...GROUPS.map(section), origin()].join(""));
});

function section(group: AnyAnnotation["group"]): string {
  const rows = ANNOTATIONS.filter((annotation) => annotation.group === group);
  const supported = rows.flatMap((row) => (row.supported ? [supportedLine(row)] : []));
  const unsupported = rows.flatMap((row) => (row.supported ? [] : [unsupportedLine(row)]));
  return [
    `\n## ${TITLES[group]}\n`,
    table(
      "| annotation | prefixes | value | what it does | as in ingress-nginx | a wrong value is |",
      supported,
    ),
    table("| not supported | prefixes | what it is for | why not | it is |", unsupported),
    group === "snippet" ? snippets() : "",
  ].join("");
}

function table(header: string, lines: readonly string[]): string {
  const columns = header.split("|").length - 2;
  return lines.length === 0 ? "" : `\n${header}\n${"|---".repeat(columns)}|\n${lines.join("")}`;
}

function supportedLine(row: Extract<AnyAnnotation, { supported: true }>): string {
  const { name, type, doc, fallback } = row;
  return line(`\`${name}\``, prefixes(row), type.description, doc, compared(row), fallback);
}

/** Whether an annotation does what it does in ingress-nginx, if that has it. */
function compared({ prefixes: read, otherwise }: AnyAnnotation): string {
  if (!read.includes("compat")) return "–";
  return otherwise === undefined ? "yes" : `differs: ${otherwise}`;
}

function unsupportedLine(row: Extract<AnyAnnotation, { supported: false }>): string {
  const { name, doc, why, fallback, acts } = row;
  const effect = acts === neverActs ? "without effect, as before" : fallback;
  return line(`\`${name}\``, prefixes(row), doc, why, effect);
}

function prefixes(row: AnyAnnotation): string {
  return row.prefixes.map((prefix) => PREFIX[prefix]).join(" ");
}

function line(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
}

function origin(): string {
  const lines = ORIGIN_ANNOTATIONS.map(
    ({ key, type, doc }) => `| \`${key.replace("<labels>", "cpaas.io")}\` | ${type} | ${doc} |\n`,
  );
  return `\n## Under other domains\n\n| annotation | value | what it does |\n|---|---|---|\n${lines.join("")}`;
}
