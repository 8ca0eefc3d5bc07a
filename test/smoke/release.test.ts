// What `make release` makes of this checkout, twice in two folders. Nothing is published.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const VERSION = "99.1.0";
const REPOSITORY = "https://git.example/team/albc";
/** 2033-05-18. */
const SOURCE_DATE_EPOCH = "2000000000";

let folders: readonly string[] = [];

/** `git` in a checkout, without the settings of the person who runs the tests. */
function git(cwd: string, ...words: readonly string[]): ReturnType<typeof run> {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  return run("git", [...identity, ...words], { cwd });
}

/** A checkout of its own with the files as they are now, whose changelog has a section for the version. */
async function checkout(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "albc-release-"));
  const copy = `git ls-files -zco --exclude-standard | tar --null -T - --ignore-failed-read -c | tar -xC '${folder}'`;
  await run("sh", ["-c", copy], { cwd: repository });
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  const changelog = `# Changes\n\n## ${VERSION} (unreleased)\n\n- The first one.\n`;
  await writeFile(join(folder, "CHANGELOG.md"), changelog);
  await git(folder, "init", "--quiet");
  // In a checkout it is a folder, which .gitignore names; here it is a link.
  await writeFile(join(folder, ".git/info/exclude"), "node_modules\n");
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "--message", "all", "--date", "2001-01-01T00:00:00Z");
  return folder;
}

interface Given {
  readonly version?: string;
  readonly place?: string;
  readonly umask?: string;
  readonly CI?: string;
}

function release(
  cwd: string,
  { version = VERSION, place = REPOSITORY, umask = "022", CI = "" }: Given = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { PATH, HOME } = process.env;
  const name = { GIT_AUTHOR_NAME: "Test", GIT_COMMITTER_NAME: "Test" };
  const mail = { GIT_AUTHOR_EMAIL: "test@example.com", GIT_COMMITTER_EMAIL: "test@example.com" };
  const script = `umask ${umask}; exec .ci/release "$1" "$2"`;
  return run("bash", ["-c", script, "bash", version, place], {
    cwd,
    env: { PATH, HOME, ...name, ...mail, SOURCE_DATE_EPOCH, CI },
  });
}

async function filesOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const out = join(folder, ".release", VERSION);
  const names = (await readdir(out)).sort();
  const read = names.map(
    async (name) => [name, await readFile(join(out, name), "latin1")] as const,
  );
  return new Map(await Promise.all(read));
}

beforeAll(async () => {
  folders = [await checkout(), await checkout()];
}, 120_000);

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describe("a release", () => {
  it.each<[string, Given, string, number]>([
    ["without a repository", { place: "" }, "give REPOSITORY=", 2],
    ["without a version", { version: "next" }, "give VERSION=x.y.z", 2],
    ["of a version without changes", { version: "99.2.0" }, "CHANGELOG.md has no section", 1],
    ["of a tag on another commit", { CI: "true" }, "run make release before you tag", 1],
  ])("is refused %s", async (_, given, message, code) => {
    const [folder = ""] = folders;

    await expect(release(folder, given)).rejects.toMatchObject({
      code,
      stderr: expect.stringContaining(message) as string,
    });
  });

  it("is refused with changes that are not committed", async () => {
    const [folder = ""] = folders;
    const file = join(folder, "src/new.ts");
    await writeFile(file, "");

    await expect(release(folder)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the working tree has changes") as string,
    });
    await rm(file);
  });

  it("has the same bytes in another folder and at another time", async () => {
    const [first = "", second = ""] = folders;
    await Promise.all([release(first), release(second, { umask: "077" })]);
    const files = await filesOf(first);

    expect([...files.keys()]).toEqual([
      "SHA256SUMS",
      `albc-${VERSION}.cdx.json`,
      `albc-${VERSION}.tgz`,
      `albc-chart-${VERSION}.tgz`,
      `albc-image-${VERSION}.tar.gz`,
    ]);
    const other = await filesOf(second);
    expect(
      [...files].filter(([name, bytes]) => other.get(name) !== bytes).map(([name]) => name),
    ).toEqual([]);
    await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: join(first, ".release", VERSION) });
  }, 400_000);

  it("is a commit with version and date", async () => {
    const [folder = ""] = folders;
    const { stdout } = await git(folder, "log", "--format=%s");

    expect(stdout.toString().trim().split("\n")).toEqual([`chore(release): ${VERSION}`, "all"]);
    expect(await readFile(join(folder, "CHANGELOG.md"), "utf8")).toContain("99.1.0 (2033-05-18)");
    const chart = await readFile(join(folder, "deploy/chart/Chart.yaml"), "utf8");
    expect(chart).toContain(`\nversion: ${VERSION}\nappVersion: ${VERSION}\n`);
  });

  it("has a package that names its repository", async () => {
    const [folder = ""] = folders;
    const words = ["-xOzf", `albc-${VERSION}.tgz`, "package/package.json"];
    const { stdout } = await run("tar", words, { cwd: join(folder, ".release", VERSION) });

    expect(JSON.parse(stdout)).toMatchObject({
      version: VERSION,
      repository: { type: "git", url: `git+${REPOSITORY}.git` },
      bugs: { url: `${REPOSITORY}/issues` },
      homepage: `${REPOSITORY}#readme`,
    });
  });

  it("lists what the package brings, and nothing of its tests", async () => {
    const [folder = ""] = folders;
    const text = await readFile(
      join(folder, `.release/${VERSION}/albc-${VERSION}.cdx.json`),
      "utf8",
    );
    const bom = JSON.parse(text) as { components: { name: string; group?: string }[] };
    const names = bom.components.map(({ name }) => name);

    expect(bom).toMatchObject({
      bomFormat: "CycloneDX",
      metadata: {
        timestamp: "2033-05-18T03:33:20.000Z",
        component: { name: "albc", version: VERSION },
      },
    });
    expect(names).toEqual(expect.arrayContaining(["commander", "handlebars", "pino"]));
    expect(names.filter((name) => ["jest", "vitest", "eslint"].includes(name))).toEqual([]);
  });

  it("has all that the image is built from", async () => {
    const [folder = ""] = folders;
    const words = ["-tzf", `.release/${VERSION}/albc-image-${VERSION}.tar.gz`];
    const { stdout } = await run("tar", words, { cwd: folder });
    const dockerfile = await readFile(join(folder, "deploy/Dockerfile"), "utf8");
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, sources = ""]) => sources.split(" "),
    );

    expect(copied).toContain("src");
    for (const source of [...copied, "deploy/Dockerfile", ".dockerignore"]) {
      expect(stdout).toMatch(new RegExp(`^albc-image-${VERSION}/${source}/?$`, "m"));
    }
  });
});
