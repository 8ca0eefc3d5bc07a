// The npm package as a user gets it: packed, unpacked elsewhere and run. Needs `make build`.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
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

let folder: string;
let packed: readonly string[];
let main: string;

/** Paths of all files below a folder of the repository, relative to the repository. */
async function filesBelow(name: string): Promise<string[]> {
  const entries = await readdir(join(repository, name), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "albc-package-"));
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: repository });
  const archive = (await readdir(folder)).find((file) => file.endsWith(".tgz"));
  if (archive === undefined) throw new Error("npm pack made no archive");
  const { stdout } = await run("tar", ["-xvzf", archive], { cwd: folder });
  packed = stdout
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
  // The dependencies are installed already; what is tried here is what the archive holds.
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  main = join(folder, "package/dist/cli/main.js");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the npm package", () => {
  it.each(["lua", "templates", "docs"])("holds every file of %s/", async (name) => {
    const files = await filesBelow(name);

    expect(files).not.toHaveLength(0);
    expect(packed).toEqual(expect.arrayContaining(files));
  });

  it("holds the licence and neither sources nor tests", () => {
    expect(packed).toEqual(expect.arrayContaining(["LICENSE", "README.md", "dist/index.d.ts"]));
    expect(packed.filter((file) => /^(src|test|e2e)\//.test(file))).toEqual([]);
  });

  it("runs as a command that says its version", async () => {
    const manifest: unknown = JSON.parse(await readFile(join(repository, "package.json"), "utf8"));
    const { stdout } = await run(process.execPath, [main, "--version"]);

    expect(manifest).toMatchObject({ version: stdout.trim() });
  });

  it("renders a manifest with the templates that it brings", async () => {
    await writeFile(join(folder, "ingress.yaml"), INGRESS);
    await run(process.execPath, [main, "render", "-f", "ingress.yaml", "-o", "out"], {
      cwd: folder,
    });

    expect(await readdir(join(folder, "out"))).toEqual(
      expect.arrayContaining(["nginx.conf", "policy.json"]),
    );
    expect(await readFile(join(folder, "out/policy.json"), "utf8")).toContain("shop.example");
  });

  it("can be imported", async () => {
    const entry = join(folder, "package/dist/index.js");
    const script = `import { compile } from ${JSON.stringify(entry)}; console.log(typeof compile);`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script]);

    expect(stdout.trim()).toBe("function");
  });
});
