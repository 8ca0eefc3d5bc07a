// Limits and purity of the code base, each with the reason a reader needs when a rule stops them.
// Import directions between folders are in .dependency-cruiser.cjs.
import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";
import ownLookups from "./.ci/own-lookups.js";

/** The pure middle: values in, values out; the same objects give the same bytes. */
const PURE = [
  "src/{api,model,translate,render,diagnostics,status,support,explain,diff}/**/*.ts",
  "src/{compile,translate,render}.ts",
];
const TESTS = ["test/**/*.ts", "e2e/**/*.ts"];
/** Rows of data: their length says nothing about how hard they are to read. */
const TABLES = ["src/diagnostics/catalog.ts", "src/**/*-table.ts", "src/api/gateway.ts"];

const NODE_PREFIX = {
  regex:
    "^(assert|child_process|crypto|events|fs|http2?|https|net|os|path|stream|tls|url|util)(/|$)",
  message: 'Write "node:…": it cannot be taken for, or replaced by, a package.',
};
/** They throw for a user whom /etc/passwd does not name, as the users of pods are. */
const NAMED_USER = {
  regex: "^node:os$",
  importNamePattern: "^(default|homedir|userInfo)$",
  message: "A pod's user has no entry in /etc/passwd: read HOME of the environment.",
};
const OWN_DIST = {
  regex: "/dist/",
  message: "Import the sources: dist/ may be older than they are.",
};
const SEEDED = {
  regex: "^fast-check$",
  message: "Import test/support/fast-check.js: it gives CI its seed.",
};
const PURITY = "the pure middle takes it as a value, so that a compilation can be repeated";

const sizeLimits = (maxLines) => ({
  "max-lines": ["error", { max: maxLines, skipBlankLines: true, skipComments: true }],
  "max-lines-per-function": ["error", { max: 50, skipBlankLines: true, skipComments: true }],
  complexity: ["error", 12],
  "max-depth": ["error", 3],
  "max-params": ["error", 4],
});

export default defineConfig(
  globalIgnores([
    "dist",
    "coverage",
    ".cluster",
    ".gateway-api",
    ".nginx",
    ".image",
    ".node",
    ".reports",
    ".bench",
    ".albc",
    ".site",
    "test/golden/*",
  ]),
  { linterOptions: { reportUnusedDisableDirectives: "error", reportUnusedInlineConfigs: "error" } },
  js.configs.recommended,

  {
    name: "typescript",
    files: ["**/*.ts"],
    extends: [tseslint.configs.strict, tseslint.configs.stylistic],
    rules: {
      ...sizeLimits(300),
      eqeqeq: "error",
      "no-restricted-imports": ["error", { patterns: [NODE_PREFIX, NAMED_USER, OWN_DIST] }],
      "no-restricted-exports": ["error", { restrictDefaultExports: { direct: true } }],
      "@typescript-eslint/consistent-type-imports": "error",
      "no-duplicate-imports": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
    },
  },

  {
    name: "sources",
    files: ["src/**/*.ts"],
    // For own-lookups, which needs types.
    languageOptions: {
      parserOptions: { project: ["./tsconfig.build.json"], tsconfigRootDir: import.meta.dirname },
    },
    plugins: { albc: { rules: { "own-lookups": ownLookups } } },
    rules: {
      "albc/own-lookups": "error",
      // `as` asserts what the compiler cannot see; where that is right, the disabling comment says why.
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "no-console": "error",
    },
  },

  {
    name: "pure middle",
    files: PURE,
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            NODE_PREFIX,
            OWN_DIST,
            {
              regex: "^node:(?!(crypto|url|net|path/posix)$)",
              message: `No files, processes, sockets or timers here: ${PURITY}.`,
            },
            {
              regex: "^node:crypto$",
              importNamePattern: "^(default$|webcrypto|random|generate|getRandom)",
              message: `Only digests and parsing of keys here; randomness: ${PURITY}.`,
            },
            {
              regex: "^node:net$",
              allowImportNames: ["isIP", "isIPv4", "isIPv6", "BlockList"],
              message: "Only the address grammar of node:net is pure.",
            },
          ],
        },
      ],
      "no-restricted-globals": [
        "error",
        { name: "process", message: `Environment and exit belong to src/cli: ${PURITY}.` },
        { name: "Date", message: `The clock belongs to the edges: ${PURITY}.` },
        { name: "performance", message: `The clock belongs to the edges: ${PURITY}.` },
        { name: "crypto", message: `Randomness belongs to the edges: ${PURITY}.` },
        { name: "fetch", message: `The network belongs to the edges: ${PURITY}.` },
        { name: "setTimeout", message: "The pure middle does not wait." },
        { name: "setInterval", message: "The pure middle does not wait." },
        { name: "setImmediate", message: "The pure middle does not wait." },
        { name: "queueMicrotask", message: "The pure middle does not wait." },
        { name: "console", message: "Problems are diagnostics; logs belong to the edges." },
      ],
      "no-restricted-properties": [
        "error",
        { object: "Math", property: "random", message: `Randomness: ${PURITY}.` },
      ],
    },
  },
  {
    name: "templates are files",
    files: ["src/render/nginx/text.ts"],
    rules: { "no-restricted-imports": ["error", { patterns: [NODE_PREFIX, OWN_DIST] }] },
  },

  {
    name: "tests",
    files: TESTS,
    rules: {
      "max-lines": ["error", { max: 500, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": "off",
      "@typescript-eslint/explicit-module-boundary-types": "off",
      "no-restricted-imports": ["error", { patterns: [NODE_PREFIX, OWN_DIST, SEEDED] }],
      "no-restricted-syntax": [
        "error",
        ...[
          "[object.name=/^(describe|it|test)$/]",
          "[object.object.name=/^(describe|it|test)$/]",
        ].map((owner) => ({
          selector: `MemberExpression${owner}[property.name=/^(only|skip|todo|failing)$/]`,
          message: "Every test runs, and runs with its neighbours.",
        })),
        {
          selector: "CallExpression[callee.name=/^(fdescribe|fit|xdescribe|xit|xtest)$/]",
          message: "Every test runs, and runs with its neighbours.",
        },
      ],
    },
  },

  {
    name: "seeded properties",
    files: ["test/support/fast-check.ts"],
    rules: { "no-restricted-imports": ["error", { patterns: [NODE_PREFIX, OWN_DIST] }] },
  },
  { name: "tables", files: TABLES, rules: { "max-lines": "off" } },

  {
    name: "configuration files",
    files: ["**/*.js", "**/*.cjs", "**/*.mjs"],
    languageOptions: {
      globals: {
        ...{
          AbortSignal: "readonly",
          URL: "readonly",
          URLSearchParams: "readonly",
          fetch: "readonly",
        },
        ...{ console: "readonly", module: "writable", process: "readonly" },
      },
    },
  },
  prettier,
);
