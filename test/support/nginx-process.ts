import { spawn } from "node:child_process";
import {
  existsSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { connect } from "node:net";
import { freePort } from "./free-port.js";
import { until } from "./until.js";

/** What nginx says when it starts or reloads; a line about a connection has its number. */
const OF_CONFIGURATION = /^.*\[(?:warn|emerg)\] (?:\d+#\d+: )?(?!\d*#|\*).*$/gm;

/** What a test gives to nginx besides the port that it listens on. */
export interface NginxSetup {
  /**
   * Files of the run folder by path, nginx.conf among them, for a run with this port (free a moment ago). Folders are
   * made, files have mode 0600. The error log is what nginx says on its standard error.
   */
  readonly files: (port: number) => Readonly<Record<string, string>>;
  /** Does what else the folder needs. */
  readonly prepare?: (dir: string) => void;
}

/** A running nginx in a folder of its own. */
export interface NginxProcess {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly dir: string;
  readonly pid: number;
  /** All that nginx has written to its error log until now. */
  errorLog(): string;
  stop(): Promise<void>;
}

/** The nginx under test: a wrapper made by `make nginx`, or any nginx with ngx_lua built in. */
function nginxBinary(): string {
  const binary = process.env["ALBC_TEST_NGINX"];
  if (binary === undefined || !existsSync(binary)) {
    throw new Error(`no nginx at ALBC_TEST_NGINX=${binary ?? ""}: run "make nginx"`);
  }
  return binary;
}

/** What the runner says on the command line and in variables, because it belongs to the machine. */
function machinePart(binary: string): {
  readonly directives: string;
  readonly env: Record<string, string>;
} {
  const root = dirname(binary);
  const modules = ["ndk_http_module", "ngx_http_lua_module"]
    .map((name) => join(root, "usr/lib/nginx/modules", `${name}.so`))
    .filter((path) => existsSync(path))
    .map((path) => `load_module ${path};`);
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const lib = join(root, "usr/lib");
  const cpath = (existsSync(lib) ? readdirSync(lib) : [])
    .map((triplet) => join(lib, triplet, "lua/5.1"))
    .filter((path) => existsSync(path))
    .map((path) => `${path}/?.so;`);
  return {
    directives: `${modules.join(" ")} ${user} daemon off;`,
    env: { LUA_PATH: `${root}/usr/share/lua/5.1/?.lua;;`, LUA_CPATH: `${cpath.join("")};` },
  };
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

function makeFolder(setup: NginxSetup, port: number): string {
  const dir = mkdtempSync(join(tmpdir(), "albc-nginx-"));
  for (const folder of ["logs", "tmp", "control"]) mkdirSync(join(dir, folder));
  for (const [path, text] of Object.entries(setup.files(port))) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text, { mode: 0o600 });
  }
  setup.prepare?.(dir);
  return dir;
}

/** Starts nginx and waits until it accepts connections. Throws with its error log if it ends before that. */
export async function startNginx(setup: NginxSetup): Promise<NginxProcess> {
  const port = await freePort();
  const dir = makeFolder(setup, port);
  const binary = nginxBinary();
  const { directives, env } = machinePart(binary);
  const log = join(dir, "logs/error.log");
  const logFile = openSync(log, "w");
  const words = ["-p", dir, "-c", "nginx.conf", "-e", "stderr", "-g", directives];
  const child = spawn(binary, words, {
    cwd: dir,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", logFile],
  });
  closeSync(logFile);
  // A test that fails before it stops its nginx must neither keep jest waiting nor leave it behind.
  child.unref();
  const kill = () => child.kill();
  process.once("exit", kill);
  let ended = false;
  const end = new Promise<void>((resolve) => {
    child.once("close", () => {
      ended = true;
      process.off("exit", kill);
      resolve();
    });
  });
  const errorLog = () => readFileSync(log, "utf8");
  await until(async () => {
    if (ended) throw new Error(`nginx ended at once:\n${errorLog()}`);
    return accepts(port);
  });
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    dir,
    pid: child.pid ?? 0,
    errorLog,
    stop: async () => {
      kill();
      await end;
      // A test may stop its nginx before the end does.
      if (!existsSync(log)) return;
      const warnings = errorLog().match(OF_CONFIGURATION) ?? [];
      rmSync(dir, { recursive: true, force: true });
      if (warnings.length > 0) throw new Error(`nginx warned:\n${warnings.join("\n")}`);
    },
  };
}
