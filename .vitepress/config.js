// The site of these pages and of the Markdown beside README.md. GitHub and npm show the same files, so pages hold plain Markdown only.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { slug } from "github-slugger";
import { defineConfig } from "vitepress";

const root = join(import.meta.dirname, "..");
const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** Where files that are no pages can be read. */
const files = repository?.url.replace(/^git\+|\.git$/g, "").concat("/blob/main");

/** Order of the navigation. Pages that it does not name follow under "More"; names without a page are left out. */
const ORDER = {
  Start: ["README", "docs/start", "docs/gateway-first-steps", "docs/install", "docs/upgrading"],
  Protect: ["docs/oauth2-proxy", "docs/passwords", "docs/tls", "docs/security"],
  Operate: [
    ...[
      "docs/troubleshooting",
      "docs/monitoring",
      "docs/logging",
      "docs/tracing",
      "docs/error-pages",
    ],
    ...["docs/operations", "docs/support", "docs/scale"],
  ],
  Reference: [
    ...[
      "docs/alb2",
      "docs/auth",
      "docs/annotations",
      "docs/gateway-api",
      "docs/options",
      "docs/cli",
    ],
    ...["docs/library", "docs/errors", "docs/diagnostics", "docs/metrics", "docs/policy-format"],
  ],
  Project: [
    "ARCHITECTURE",
    "CONTRIBUTING",
    "SECURITY",
    "CHANGELOG",
    "docs/benchmarks",
    "docs/conformance/README",
  ],
};

const titleOf = (page) =>
  /^# +(.+)$/m.exec(readFileSync(join(root, `${page}.md`), "utf8"))?.[1] ?? page;

function sidebar() {
  const named = new Set(Object.values(ORDER).flat());
  const others = readdirSync(join(root, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file.slice(0, -".md".length)}`)
    .filter((page) => !named.has(page));
  return Object.entries({ ...ORDER, More: others })
    .map(([text, pages]) => ({
      text,
      items: pages
        .filter((page) => existsSync(join(root, `${page}.md`)))
        .map((page) => ({ text: titleOf(page), link: page === "README" ? "/" : `/${page}` })),
    }))
    .filter(({ items }) => items.length > 0);
}

/** Links to files that are no pages lead to the repository, if package.json names it; remark checks that the files exist. */
function linkToRepository(markdown) {
  markdown.core.ruler.push("repository", ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === "link_open" ? token.attrGet("href") : undefined;
      if (!href || /^([a-z]+:|#|\/)/.test(href) || /\.md(#|$)/.test(href)) continue;
      const file = relative(root, join(dirname(env.realPath ?? env.path), href));
      token.attrs = files === undefined ? [] : [["href", `${files}/${file}`]];
    }
  });
}

export default defineConfig({
  title: "albc",
  description: "A gateway for Kubernetes that authenticates requests at the edge",
  outDir: ".site",
  cacheDir: "node_modules/.cache/vitepress",
  srcExclude: [
    // VitePress would read them and follow their links, out of .image/root into the whole machine.
    ".*/**",
    ...["examples/**", "deploy/**", "src/**", "test/**", "e2e/**", "templates/**", "lua/**"],
  ],
  rewrites: { "README.md": "index.md" },
  cleanUrls: false,
  lastUpdated: false,
  markdown: { anchor: { slugify: (title) => slug(title) }, html: false, config: linkToRepository },
  // Fonts and scripts are part of the site: it asks no other host.
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: sidebar(),
  },
});
