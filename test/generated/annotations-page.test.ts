import type {
  AnnotationGroup,
  AnyAnnotation,
} from "../../src/translate/ingress/annotations/annotation.js";
import { ANNOTATIONS } from "../../src/translate/ingress/annotations/annotation-table.js";
import { ORIGIN_ANNOTATIONS } from "../../src/translate/ingress/origin-annotations.js";
import { expectGenerated } from "../support/generated-file.js";

const INTRODUCTION = `# Annotations of Ingresses

Annotations are read under three prefixes, highest priority first; the tables name them by these numbers:

1. \`index.<rule>-<path>.alb.ingress.cpaas.io/\`: for one path of one rule, both counted from 0; \`<rule>\` counts every entry of
   \`spec.rules\`, \`<path>\` restarts in each.
2. \`alb.ingress.cpaas.io/\`: the load balancer's own.
3. \`nginx.ingress.kubernetes.io/\`: as ingress-nginx has them.

Each name is looked up by itself: the first prefix that holds the key wins, also with an empty value, which is as if the annotation
were absent. The domains are options (docs/options.md).

Every annotation that can't be honoured is reported: one with a malformed value, one that is not supported or not known, one under a
prefix where it is not read, one with an index that points at no path. What happens then stands in the last column:

- *ignored*: it only tunes, and the paths are served without it.
- *unenforced*: it limits how much, such as rates. The paths are served without the limit, and the report is an error.
- *closed*: it decides who may pass, or redirects. The paths answer 503 until it is corrected; no other path is affected. A snippet is
  closed unless all of its directives are known to be harmless: headers, timeouts, buffers, compression, caching, logs and rates, such as
  \`more_set_headers\`, \`proxy_set_header\`, \`gzip\`. So \`return\`, \`rewrite\`, \`if\`, \`location\`, \`include\` and Lua close. A
  switch is closed if it is on. With the option \`unsupportedRestrictions: report\` the paths are served instead, and the report is an error; authentication
  stays closed.
- *unserved*: the Ingress is not served.

A typo closes paths too. A name that no annotation has closes them when it is near to one that is *closed* (\`auth-tpye\`), or looks
like one (\`auth-…\`, \`…-source-range\`) or is the beginning or end of one (\`type\`). An annotation that is *closed* also closes the whole Ingress when its domain is one or two
letters away from ours (\`ngnix.ingress.kubernetes.io\`), is made of words of ours below any top level (\`ingress.kubernetes.dev\`) or is missing, when it is not read under its prefix (\`redirect-host\` under the
third one), or when its index points at no path. A \`server-snippet\` also closes the hosts of its Ingress in other Ingresses of the
namespace.

HTTP and HTTPS serve the same paths. Hosts in \`spec.tls\` of any Ingress are redirected from HTTP to HTTPS unless \`ssl-redirect\` says
otherwise. ImplementationSpecific paths on hosts in regex mode are regular expressions. Of the others, those that an ALB2 serves are
regular expressions with case, anchored at the start, if they contain one of \`^$():?[]*\\\`, else they match as the start of the path's
text; without an ALB2 they are prefixes by path elements, as in ingress-nginx. A request goes to the narrowest rule that matches its host and path, among all Ingresses and, with an ALB2, Rules: what the paths
of an exact host leave is for rules of a wildcard, then for rules without a host, then for default backends. \`rewrite-target\` and \`use-regex\` put a host into regex mode as a whole, in every Ingress that names it.

This page is generated from the annotation table, \`src/translate/ingress/annotation-table.ts\`.
`;

const TITLES: Readonly<Record<AnnotationGroup, string>> = {
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

const GROUPS = Object.keys(TITLES) as AnnotationGroup[];

test("docs/annotations.md lists every annotation", () => {
  expectGenerated("docs/annotations.md", [INTRODUCTION, ...GROUPS.map(section), origin()].join(""));
});

function section(group: AnnotationGroup): string {
  const rows = ANNOTATIONS.filter((annotation) => annotation.group === group);
  const supported = rows.flatMap((row) => (row.supported ? [supportedLine(row)] : []));
  const unsupported = rows.flatMap((row) => (row.supported ? [] : [unsupportedLine(row)]));
  return [
    `\n## ${TITLES[group]}\n`,
    table("| annotation | prefixes | value | what it does | a wrong value is |", supported),
    table("| not supported | prefixes | what it is for | why not | it is |", unsupported),
  ].join("");
}

function table(header: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\n${header}\n|---|---|---|---|---|\n${lines.join("")}`;
}

function supportedLine(row: Extract<AnyAnnotation, { supported: true }>): string {
  const { name, type, doc, fallback } = row;
  return line(`\`${name}\``, prefixes(row), type.description, doc, fallback);
}

function unsupportedLine(row: Extract<AnyAnnotation, { supported: false }>): string {
  const { name, doc, why, fallback } = row;
  return line(`\`${name}\``, prefixes(row), doc, why, fallback);
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
