// What `make run` starts, on ports of its own, and every line that it prints. Needs `make build`.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../support/free-port.js";
import { until } from "../support/until.js";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const albc = join(repository, "dist/cli/main.js");

/** Ports that the examples name. */
const PORTS = [8080, 8081, 8090, 8443, 19001, 19002, 19003];

interface Line {
  readonly command: string;
  readonly status: number;
}

let folder: string;
let examples: ChildProcess;
let output = "";
let port: (named: number) => number;

/** The examples with other ports, so that several copies can run on one machine. */
async function copyExamples(to: string): Promise<void> {
  const free = new Map<number, number>();
  for (const named of PORTS) free.set(named, await freePort());
  port = (named) => free.get(named) ?? named;
  await cp(join(repository, "examples"), to, { recursive: true });
  const entries = await readdir(to, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((found) => found.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const text = await readFile(file, "utf8");
    const named = new RegExp(`\\b(${PORTS.join("|")})\\b`, "g");
    await writeFile(
      file,
      text.replace(named, (digits) => String(port(Number(digits)))),
    );
  }
}

/** As a user has it: albc takes no variables of the tests for its own. */
function environment(): NodeJS.ProcessEnv {
  const { ALBC_TEST_NGINX, ...rest } = process.env;
  return { ...rest, EXAMPLES_ALBC: albc, NGINX_BIN: ALBC_TEST_NGINX };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "albc-examples-"));
  await copyExamples(join(folder, "examples"));
  examples = spawn(join(folder, "examples/run"), {
    cwd: folder,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [examples.stdout, examples.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  await until(() => output.includes("Ctrl-C ends it") || examples.exitCode !== null, 50_000);
  if (examples.exitCode !== null) throw new Error(`the examples ended: ${output}`);
});

afterAll(async () => {
  if (examples.exitCode === null) {
    examples.kill("SIGTERM");
    await once(examples, "exit");
  }
  await rm(folder, { recursive: true, force: true });
});

/** The curl lines as printed, each with the status that stands behind it. */
function printedLines(): readonly Line[] {
  return [...output.matchAll(/^ {2}(curl .*?) +# (\d{3})$/gm)].map(([, command = "", status]) => ({
    command,
    status: Number(status),
  }));
}

/** Runs a printed line as a shell would, for its status and where it leads. */
async function tryLine(command: string): Promise<{ status: number; location: string }> {
  const format = "%{http_code} %{redirect_url}";
  const { stdout } = await run("sh", ["-c", `${command} -sS -o /dev/null -w '${format}'`], {
    cwd: folder,
  });
  const [status, location = ""] = stdout.trim().split(" ");
  return { status: Number(status), location };
}

describe("the examples", () => {
  it("answer every printed line with the status beside it", async () => {
    const lines = printedLines();

    expect(lines.length).toBeGreaterThan(10);
    for (const { command, status } of lines) {
      expect({ command, status: (await tryLine(command)).status }).toEqual({ command, status });
    }
  });

  it("lead to the sign-in page with the original URL", async () => {
    const origin = `http://portal.localhost:${port(8080)}`;
    const { location } = await tryLine(`curl '${origin}/orders?page=2'`);

    expect(location).toBe(`${origin}/sso/sign-in?rd=${origin}%2Forders%3Fpage%3D2`);
  });

  it("let a user sign in and come back", async () => {
    const origin = `http://portal.localhost:${port(8080)}`;
    const jar = "--cookie jar --cookie-jar jar";
    const signIn = `${origin}/sso/sign-in?rd=${origin}%2Forders`;

    expect(await tryLine(`curl ${jar} -X POST '${signIn}'`)).toEqual({
      status: 303,
      location: `${origin}/orders`,
    });
    expect((await tryLine(`curl ${jar} ${origin}/orders`)).status).toBe(200);
  });

  it("lead from HTTP to the port of HTTPS", async () => {
    const { location } = await tryLine(`curl 'http://secure.localhost:${port(8080)}/a?b=c'`);

    expect(location).toBe(`https://secure.localhost:${port(8443)}/a?b=c`);
  });

  it("are valid by themselves, and render to the same files each time", async () => {
    const source = ["-f", join(repository, "examples")];
    const { stdout } = await run(process.execPath, [
      ...[albc, "validate", "--format", "json"],
      ...source,
    ]);
    expect(stdout.trim()).toBe("");

    const render = [albc, "render", ...source, "-o", join(folder, "out")];
    await run(process.execPath, render);
    await run(process.execPath, [...render, "--check"]);
  });

  it("end with their processes when they are interrupted", async () => {
    examples.kill("SIGINT");
    const [code] = (await once(examples, "exit")) as [number | null];

    expect(code).toBe(0);
    for (const named of PORTS) {
      await expect(run("curl", ["-sS", `http://127.0.0.1:${port(named)}/`])).rejects.toThrow();
    }
  });
});
