// Who may import whom. One rule for each folder of src/: what is not listed is forbidden, and imports
// of types count, because a type that travels the wrong way carries its vocabulary with it.

/** A rule for one layer: it may import itself and `allowed` (paths below src/), nothing else of src/. */
function layer(name, allowed, comment) {
  const own = name.endsWith(".ts") ? name.replace(".", "\\.") + "$" : `${name}/`;
  return {
    name: `${name.replace(".ts", "")}-imports`,
    comment,
    severity: "error",
    from: { path: `^src/${own}` },
    to: { path: "^src/", pathNot: [own, ...allowed].map((path) => `^src/${path}`) },
  };
}

/** A rule for one dependency: only the folders or files of `homes` (below src/) may import it. */
function only(homes, dependency, path, comment) {
  return {
    name: `${dependency}-only-at-home`,
    comment,
    severity: "error",
    from: { path: "^src/", pathNot: homes.map((home) => `^src/${home}`) },
    to: { path },
  };
}

const npm = (...names) => `node_modules/(${names.join("|")})/`;

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    layer("support", [], "Small functions that every layer may use must not pull in a layer."),
    layer("engine", ["support/"], "Tables know nothing of what is in them."),
    layer("diagnostics", ["support/"], "A problem is plain data; any stage can report one."),
    layer(
      "api",
      ["support/", "diagnostics/"],
      "Wire types are what users write; they know nothing of what becomes of them.",
    ),
    layer(
      "model",
      ["support/"],
      "The data plane's model knows neither Kubernetes nor nginx: both sides change without each other.",
    ),
    layer(
      "status",
      ["api/", "diagnostics/", "support/"],
      "Conditions are computed from API objects and problems, not from what was rendered.",
    ),
    layer(
      "input",
      ["api/", "diagnostics/", "support/"],
      "Reading ends with typed resources; what they mean is translate's.",
    ),
    layer(
      "translate",
      ["engine/", "input/resources\\.ts$", "api/", "model/", "status/", "diagnostics/", "support/"],
      "Translation ends with the model. It never sees rendering, so no nginx syntax leaks into decisions.",
    ),
    layer(
      "render",
      ["model/", "diagnostics/", "support/"],
      "Rendering starts from the model alone, so no Kubernetes object can reach nginx.conf unseen.",
    ),
    layer(
      "explain",
      ["model/", "render/policy/", "diagnostics/", "support/"],
      "Explaining evaluates the compiled policy, the same bytes that the data plane reads.",
    ),
    layer(
      "diff",
      ["explain/", "model/", "support/"],
      "Comparing evaluates two compiled policies with the lookups of explain.",
    ),
    layer(
      "output",
      ["render/rendered-file\\.ts$", "render/nginx/text\\.ts$", "support/"],
      "Writing and reloading handle bytes and do not know what is in them; what they tell nginx is quoted.",
    ),
    layer(
      "translate.ts",
      ["translate/", "input/resources\\.ts$", "model/", "status/", "diagnostics/", "support/"],
      "Translation as a list of steps.",
    ),
    layer("render.ts", ["render/", "model/", "support/"], "Rendering as a list of writers."),
    layer(
      "compile.ts",
      [
        "input/(resources|closed-form)\\.ts$",
        "translate(\\.ts$|/)",
        "render(\\.ts$|/)",
        "model/",
        "status/",
        "diagnostics/",
        "support/",
      ],
      "The only place where translate and render meet.",
    ),
    layer(
      "kubernetes",
      ["input/kind-table\\.ts$", "api/", "status/", "diagnostics/", "support/"],
      "Talking to an API server is an edge: what its objects mean is decided elsewhere.",
    ),
    layer(
      "controller",
      [
        "kubernetes/",
        "compile\\.ts$",
        "model/options\\.ts$",
        "input/",
        "health/run-health\\.ts$",
        "output/",
        "render/rendered-file\\.ts$",
        "api/",
        "status/",
        "diagnostics/",
        "support/",
      ],
      "The loop drives compile() and output; it has no business inside the pipeline.",
    ),
    layer(
      "health",
      [
        "output/(control-client|files|recent-changes)\\.ts$",
        "tracing/tracing\\.ts$",
        "explain/(read-policy|summary)\\.ts$",
        "api/kinds\\.ts$",
        "diagnostics/",
        "support/",
      ],
      "Probes, metrics and the status ask the data plane, read what the run wrote and are told what it does; nothing depends on being measured.",
    ),
    layer(
      "tracing",
      ["model/options\\.ts$", "support/"],
      "Spans are made of what nginx reports; nothing depends on being traced.",
    ),
    layer(
      "cli",
      [
        "health/",
        "tracing/tracing\\.ts$",
        "compile\\.ts$",
        "translate/review\\.ts$",
        "model/options\\.ts$",
        "input/",
        "output/",
        "render/rendered-file\\.ts$",
        "controller/",
        "kubernetes/",
        "explain/",
        "diff/",
        "api/kinds\\.ts$",
        "status/",
        "diagnostics/",
        "support/",
      ],
      "Commands call compile() like any other user of the package.",
    ),
    {
      name: "nobody-imports-the-entry",
      comment: "src/index.ts re-exports the public API for users; inside, import the file itself.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/index\\.ts$" },
      to: { path: "^src/index\\.ts$" },
    },
    {
      name: "no-circular",
      comment: "In a cycle no file can be understood, or tested, before the others.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "sources-stand-alone",
      comment: "What is shipped must not need what is not.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|e2e)/" },
    },
    {
      name: "no-dev-dependency",
      comment: "A user's npm install has no devDependencies.",
      severity: "error",
      from: { path: "^src/" },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        pathNot: "node_modules/@types/",
      },
    },
    {
      name: "not-to-unresolvable",
      comment: "An import that cannot be found fails at run time at the latest.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    only(
      [
        "input/files\\.ts$",
        "render/nginx/text\\.ts$",
        "output/",
        "controller/",
        "cli/",
        "kubernetes/service-account\\.ts$",
        "tracing/trace-thread\\.ts$",
      ],
      "files",
      "^(node:)?fs(/promises)?$",
      "Files are read and written at the edges, so the middle can be tested with values.",
    ),
    only(
      ["output/", "cli/git\\.ts$"],
      "processes",
      `^(node:)?child_process$|${npm("execa")}`,
      "Processes are started where their errors and signals are dealt with.",
    ),
    only(
      ["health/"],
      "prom-client",
      npm("prom-client"),
      "The names and units of metrics are in one table.",
    ),
    only(
      ["tracing/"],
      "opentelemetry",
      npm("@opentelemetry"),
      "It is loaded in the thread that exports spans, so no other command waits for it.",
    ),
    only(
      ["input/", "cli/"],
      "js-yaml",
      npm("js-yaml"),
      "Text becomes values in one place, with positions.",
    ),
    only(
      ["input/", "cli/"],
      "ajv",
      npm("ajv", "ajv-formats"),
      "Unknown values become typed at the entrance.",
    ),
    only(
      ["render/nginx/"],
      "handlebars",
      npm("handlebars"),
      "Only views of the model reach templates.",
    ),
    only(
      ["kubernetes/api-client\\.ts$"],
      "client-node",
      npm("@kubernetes/client-node"),
      "It takes longer to load than albc, so only loadKubeConfig does.",
    ),
    only(["controller/"], "chokidar", npm("chokidar"), "Watching is the loop's."),
    only(["cli/"], "pino", npm("pino"), "Loggers are made once and passed in."),
    only(
      ["cli/"],
      "commander",
      npm("commander"),
      "Arguments are parsed once, at the outermost edge.",
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "types", "default"],
      mainFields: ["module", "main", "types"],
    },
    builtInModules: { add: [] },
    exoticRequireStrings: [],
  },
};
