// The npm package as a user gets it: packed, installed in an empty project, run, imported and type-checked. Needs `make build`.
import { execFile } from "node:child_process";
import { access, constants, cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));

const INGRESS = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: shop, namespace: default }
spec:
  rules:
    - host: shop.example
      http:
        paths:
          - path: /
            pathType: Prefix
            backend: { service: { name: shop, port: { number: 80 } } }
---
apiVersion: v1
kind: Service
metadata: { name: shop, namespace: default }
spec: { ports: [{ port: 80 }] }
`;

/** Uses each export; a type that names another package would not be found. */
const USER = `
import { DEFAULT_OPTIONS, compile, contentsOf, explain, formatJson, formatText, loadFiles, loadObjects, loadText, review } from "albc";
import type { Compilation, CompileOptions, Diagnostic, Explanation, LoadOptions, LoadResult, ObjectStatus, PolicyDocument, RenderedFile, Request, Resources } from "albc";

const options: CompileOptions = { ...DEFAULT_OPTIONS, httpPort: 8080 };
const loading: LoadOptions = { albGroup: options.domains.group, followLinks: true };
const loaded: LoadResult = await loadFiles(["manifests"], loading);
const resources: Resources = loadText("", loading, "a.yaml").resources;
const compilation: Compilation = compile(resources, options, 0);
const diagnostics: readonly Diagnostic[] = review(loadObjects([{}]), compilation);
export const texts: string[] = [formatJson(diagnostics), formatText(diagnostics), ...compilation.files.map((file: RenderedFile) => contentsOf(file))];
const request: Request = { url: "http://app.example/", headers: { Accept: "*/*" } };
const explanation: Explanation = explain(compilation, request);
export const checked: boolean | undefined = explanation.route?.authChecked;
export const hosts: readonly (string | undefined)[] = loaded.resources.list("Ingress").map(({ spec }) => spec?.rules?.[0]?.host);
export const statuses: readonly ObjectStatus[] = compilation.statuses;
export function source(policy: PolicyDocument): readonly string[] | undefined {
  return explain(policy, request).route?.source;
}
// @ts-expect-error -- the types are types, not any
export const wrong: number = explanation.route?.authChecked;
`;

let folder: string;
let packed: readonly string[];

/** Paths of all files below a folder of the repository, relative to the repository; links are not packed. */
async function filesBelow(name: string): Promise<string[]> {
  const entries = await readdir(join(repository, name), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)));
}

interface Lock {
  readonly version: string;
  readonly packages: Readonly<Record<string, { readonly dev?: true; readonly devOptional?: true }>>;
}

/**
 * An empty project that depends on the archive. Its lock has the versions of the repository's, so that npm finds all of them in its cache
 * and asks no registry.
 */
async function installPackage(archive: string): Promise<void> {
  const lock = JSON.parse(await readFile(join(repository, "package-lock.json"), "utf8")) as Lock;
  const used = Object.entries(lock.packages).filter(
    ([path, { dev, devOptional }]) => path !== "" && dev !== true && devOptional !== true,
  );
  const resolved = `file:${archive}`;
  const project = { name: "user", version: "1.0.0", dependencies: { albc: resolved } };
  const packages = {
    ...{ "": project, ...Object.fromEntries(used) },
    "node_modules/albc": { ...lock.packages[""], resolved, devDependencies: undefined },
  };
  const files = {
    "package.json": { ...project, private: true, type: "module" },
    "package-lock.json": { ...project, lockfileVersion: 3, requires: true, packages },
  };
  for (const [name, contents] of Object.entries(files)) {
    await writeFile(join(folder, name), JSON.stringify(contents));
  }
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["ci", "--ignore-scripts", "--prefer-offline", ...quiet], { cwd: folder });
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** A command in the project, as its user has it: without npm's and the tests' variables. */
function inProject(command: string, words: readonly string[], more = {}): Promise<Output> {
  const { PATH, HOME } = process.env;
  return run(command, words, { cwd: folder, env: { PATH, HOME, NO_COLOR: "1", ...more } });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "albc-package-"));
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: repository });
  const [made] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  if (made === undefined) throw new Error("npm pack made no archive");
  packed = made.files.map(({ path }) => path);
  await installPackage(made.filename);
  await writeFile(join(folder, "ingress.yaml"), INGRESS);
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the npm package", () => {
  it.each(["lua", "templates", "docs", "examples", "deploy"])(
    "holds every file of %s/",
    async (name) => {
      const files = await filesBelow(name);

      expect(files).not.toHaveLength(0);
      expect(packed).toEqual(expect.arrayContaining(files));
    },
  );

  it("holds the licence, and neither sources, tests nor source maps", () => {
    expect(packed).toEqual(expect.arrayContaining(["LICENSE", "README.md", "dist/index.d.ts"]));
    expect(packed.filter((file) => /^(src|test|e2e)\/|\.map$/.test(file))).toEqual([]);
  });

  it("has pages whose links lead to files that it holds", async () => {
    const pages = packed.filter((file) => file.endsWith(".md"));
    const links = await Promise.all(
      pages.map(async (page) => {
        const text = await readFile(join(repository, page), "utf8");
        const targets = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)];
        return targets.map(([, target = ""]) => join(dirname(page), target));
      }),
    );
    // A link to a folder shows its files.
    const holds = (path: string) =>
      packed.some((file) => file === path || file.startsWith(join(path, "/")));

    expect(links.flat().length).toBeGreaterThan(100);
    expect(links.flat().filter((path) => !holds(path))).toEqual([]);
  });

  it("runs as a command that says its version", async () => {
    const manifest: unknown = JSON.parse(await readFile(join(repository, "package.json"), "utf8"));
    const { stdout } = await inProject("npx", ["albc", "--version"]);

    expect(manifest).toMatchObject({ version: stdout.trim() });
  });

  it("validates and renders a manifest with the templates that it brings", async () => {
    const { stderr } = await inProject("npx", ["albc", "validate", "-f", "ingress.yaml"]);
    expect(stderr).toContain("2 objects: 0 errors");

    await inProject("npx", ["albc", "render", "-f", "ingress.yaml", "-o", "out"]);
    expect(await readdir(join(folder, "out"))).toEqual(
      expect.arrayContaining(["nginx.conf", "policy.json"]),
    );
    expect(await readFile(join(folder, "out/policy.json"), "utf8")).toContain("shop.example");
  });

  it("says what to install if there is no nginx", async () => {
    const PATH = dirname(process.execPath);
    const albc = "node_modules/albc/dist/cli/main.js";
    const running = inProject(process.execPath, [albc, "run", "-f", "ingress.yaml"], { PATH });

    await expect(running).rejects.toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /no nginx .* was found.*: install .*albc-debian-nginx/,
      ) as string,
    });
    await access(join(folder, "node_modules/.bin/albc-debian-nginx"), constants.X_OK);
  });

  it("has types for a strict project that checks libraries, without any other types", async () => {
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ skipLibCheck: false, types: [], lib: ["ES2023"], module: "NodeNext", noEmit: true },
    };
    const files = { compilerOptions, include: ["user.ts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(files));
    await writeFile(join(folder, "user.ts"), USER);
    const compiler = join(repository, "node_modules/typescript/bin/tsc");
    // It prints its findings on standard output, which a rejection would not show.
    const { stdout } = await inProject("sh", ["-c", `node '${compiler}' || true`]);

    expect(stdout).toBe("");
  });

  it.each([
    ["jest", ["jest/bin/jest.js", "--rootDir", "."], /Tests: +7 passed, 7 total/],
    ["vitest", ["vitest/vitest.mjs", "run", "--globals", "--root", "."], /Tests +7 passed \(7\)/],
  ])("is used by an example that %s runs", async (_, [program = "", ...words], passed) => {
    await cp(join(folder, "node_modules/albc/examples"), join(folder, "examples"), {
      recursive: true,
    });
    const { stdout, stderr } = await inProject(
      process.execPath,
      [join(repository, "node_modules", program), ...words],
      { NODE_OPTIONS: "--experimental-vm-modules" },
    );

    expect(stdout + stderr).toMatch(passed);
  });
});
