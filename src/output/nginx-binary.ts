/** Finds an nginx that can run the data plane. Each candidate is tested: it must start with our modules and load the Lua libraries. */
import { existsSync, readFileSync } from "node:fs";
import {
  access,
  constants,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { word } from "../render/nginx/text.js";
import { EnvironmentError } from "../support/errors.js";
import { fileError } from "./files.js";

/** An nginx, and how to start it with ngx_lua and, if it exists, the stream module. */
export interface NginxBinary {
  readonly path: string;
  /** Such as `1.30.6`. */
  readonly version: string;
  /** `load_module …;` directives for -g; empty if the modules are built in. */
  readonly directives: string;
  /** Whether it can serve TCP, UDP and TLSRoutes: the stream module can route connections by server name. */
  readonly stream: boolean;
  /** LUA_PATH and LUA_CPATH, if its Lua libraries are not in the usual places. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The nginx that `make nginx` unpacks, next to src/ or dist/. */
const UNPACKED = fileURLToPath(new URL("../../.nginx/forky/nginx", import.meta.url));
const OLDEST_NGINX = [1, 25, 1] as const;
const OLDEST_LUA = "10028";
export const NEEDED = "nginx >= 1.25.1 with ngx_lua >= 0.10.28";
const MEND =
  "install OpenResty >= 1.27.1, or on Debian `apt-get install nginx libnginx-mod-http-lua libnginx-mod-stream lua-resty-core lua-cjson`; " +
  "to unpack Debian's without installing it, run `npx albc-debian-nginx forky .nginx` (in a checkout `make nginx`); " +
  "name one that is not on the PATH by --nginx (such as .nginx/nginx) or NGINX_BIN; validate, render and explain need none";

/**
 * `given`: `--nginx` or NGINX_BIN; then no other candidate is tried. `path`: the PATH to search for `openresty` and `nginx`. Throws
 * EnvironmentError if there is no usable nginx.
 */
export async function findNginx({
  given,
  path,
}: {
  readonly given?: string | undefined;
  readonly path: string;
}): Promise<NginxBinary> {
  if (given !== undefined && given !== "") {
    const probed = await probe(given);
    if (typeof probed === "string") {
      throw new EnvironmentError(`${given} can't be used: ${probed}; needed is ${NEEDED}`);
    }
    return probed;
  }
  const rejected: string[] = [];
  for (const candidate of [...onPath(path), UNPACKED]) {
    if (!(await isAccessible(candidate, constants.X_OK))) continue;
    const probed = await probe(candidate);
    if (typeof probed !== "string") return probed;
    rejected.push(`${candidate}: ${probed}`);
  }
  const tried = rejected.length === 0 ? "" : ` (${rejected.join("; ")})`;
  throw new EnvironmentError(`no ${NEEDED} was found${tried}: ${MEND}`);
}

/** The binary, or the reason why it can't be used. */
async function probe(path: string): Promise<NginxBinary | string> {
  const { exitCode, all } = await execa(path, ["-V"], { all: true, reject: false });
  const [, version] = /^nginx version: [^/\s]+\/(\d+\.\d+\.\d+)/m.exec(all) ?? [];
  if (version === undefined) return exitCode === 0 ? "it is no nginx" : "it does not run";
  if (isOlder(version, OLDEST_NGINX)) return `it is version ${version}`;
  const root = dirname(await realpath(path).catch(() => path));
  const modules = / --add-module=\S*lua/.test(all) ? [] : await modulesFor(root, all, LUA_MODULES);
  const binary: NginxBinary = {
    // It is started in the run folder, where a relative path would name another file.
    path: path.includes("/") ? resolve(path) : path,
    version,
    directives: modules.map((file) => `load_module ${file};`).join(" "),
    stream: false,
    variables: await luaVariables(root),
  };
  return (await tryLua(binary)) ?? withStream(binary, root, all);
}

const LUA_MODULES = ["ndk_http_module.so", "ngx_http_lua_module.so"];
const STREAM_MODULES = ["ngx_stream_module.so"];

/** Paths of dynamic modules: next to an unpacked nginx, or where nginx was built to find them. */
async function modulesFor(
  root: string,
  configureArguments: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const [, builtIn = ""] = /--modules-path=(\S+)/.exec(configureArguments) ?? [];
  for (const folder of [join(root, "usr/lib/nginx/modules"), builtIn, "/usr/lib/nginx/modules"]) {
    const files = names.map((name) => join(folder, name));
    if ((await Promise.all(files.map((file) => isAccessible(file)))).every(Boolean)) return files;
  }
  return [];
}

/** The same binary with its stream module, if that can do what is needed. */
async function withStream(
  binary: NginxBinary,
  root: string,
  configureArguments: string,
): Promise<NginxBinary> {
  const isBuiltIn = / --with-stream(?: |$)/m.test(configureArguments);
  const modules = isBuiltIn ? [] : await modulesFor(root, configureArguments, STREAM_MODULES);
  const loads = [binary.directives, ...modules.map((file) => `load_module ${file};`)];
  const extended = { ...binary, directives: loads.filter(Boolean).join(" "), stream: true };
  return (await test(extended, STREAM_CONF)).exitCode === 0 ? extended : binary;
}

/** The Lua libraries of an unpacked nginx; nothing for an installed one. */
async function luaVariables(root: string): Promise<Readonly<Record<string, string>>> {
  const lua = join(root, "usr/share/lua/5.1");
  if (!(await isAccessible(lua))) return {};
  const triplets = await readdir(join(root, "usr/lib")).catch(() => []);
  const folders = triplets.map((triplet) => join(root, "usr/lib", triplet, "lua/5.1"));
  const native = folders.filter((folder) => existsSync(folder)).map((folder) => `${folder}/?.so;`);
  return { LUA_PATH: `${lua}/?.lua;;`, LUA_CPATH: `${native.join("")};` };
}

const LUA_CONF = `error_log stderr warn;
pid nginx.pid;
events {}
http {
    client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
    access_log off;
    init_by_lua_block {
        assert(ngx.config.ngx_lua_version >= ${OLDEST_LUA}, "ngx_lua is too old")
        require("resty.core") require("cjson.safe")
    }
}
`;

/** Tests what nginx.conf needs of the stream module; nginx 1.25.5 introduced `pass`. */
const STREAM_CONF = `error_log stderr warn;
pid nginx.pid;
events {}
stream {
    map $ssl_preread_server_name $to { hostnames; default unix:to.sock; }
    server { listen unix:from.sock; ssl_preread on; pass $to; }
    server { listen unix:to.sock; proxy_ssl off; proxy_pass unix:from.sock; }
}
`;

/** Why it can't run our Lua; undefined if it can. */
async function tryLua(binary: NginxBinary): Promise<string | undefined> {
  const { exitCode, all } = await test(binary, LUA_CONF);
  return exitCode === 0 ? undefined : whyNoLua(all);
}

async function test(
  binary: NginxBinary,
  configuration: string,
): Promise<{ readonly exitCode: number | undefined; readonly all: string }> {
  const folder = await mkdtemp(join(tmpdir(), "albc-probe-")).catch((error: unknown) => {
    throw fileError("make a folder in", tmpdir(), error);
  });
  try {
    await writeFile(join(folder, "nginx.conf"), configuration);
    // Paths of sockets are relative to the working folder.
    const { exitCode, all } = await execa(
      binary.path,
      ["-t", "-q", "-p", folder, "-c", "nginx.conf", "-g", binary.directives],
      { all: true, reject: false, env: binary.variables, cwd: folder },
    );
    return { exitCode, all };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function whyNoLua(said: string): string {
  if (said.includes('unknown directive "init_by_lua_block"')) return "it has no ngx_lua";
  if (said.includes("ngx_lua is too old")) return "its ngx_lua is too old";
  const [, module] = /module '([\w.]+)' not found/.exec(said) ?? [];
  if (module !== undefined) return `the Lua library ${module} is missing`;
  const [, message] = /\[(?:emerg|alert|error)\] (?:\d+#\d+: )?(.*)/.exec(said) ?? [];
  return message ?? "it can't be tested";
}

function isOlder(version: string, oldest: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  const index = oldest.findIndex((part, at) => parts[at] !== part);
  return index !== -1 && (parts[index] ?? 0) < (oldest[index] ?? 0);
}

function onPath(path: string): readonly string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return ["openresty", "nginx"].flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** `mode`: readable by default. */
async function isAccessible(path: string, mode = constants.R_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** Connections of a worker, as in nginx.conf. */
const CONNECTIONS = 16_384;
/** Two descriptors for each connection of a worker, as many again for listeners, and some for files. */
const WANTED_FILES = 131_072;
/** Descriptors of nginx besides sockets of listeners, if the limit allows it. */
const OTHER_FILES = 1024;

/** Directives for `nginx -g`: facts about this machine, which do not belong in nginx.conf. */
export function mainDirectives(binary: NginxBinary, user?: WorkerUser): string {
  const directives = [binary.directives, "daemon off;"];
  // By default, nginx as root would run its workers as the user that it was built with, who can't read the run folder.
  if (process.getuid?.() === 0) {
    const names = user === undefined ? ["root"] : [user.name, user.group];
    directives.push(`user ${names.map((name) => word(name).toString()).join(" ")};`);
  }
  const files = hardFileLimit();
  if (files !== undefined) {
    directives.push(`worker_rlimit_nofile ${String(Math.min(files, WANTED_FILES))};`);
  }
  return directives.join(" ").trim();
}

/** How many sockets of listeners nginx can have: during a reload its master has both the old and the new ones. */
export function mostSockets(): number {
  const files = hardFileLimit() ?? WANTED_FILES;
  return Math.floor(Math.max((files - OTHER_FILES) / 2, files / 4));
}

/** Why a worker can't have all connections of nginx.conf; undefined if it can. `limits`: text of /proc/self/limits. */
export function fileShortage(limits = readLimits()): string | undefined {
  const files = hardFileLimit(limits) ?? WANTED_FILES;
  const wanted = CONNECTIONS + OTHER_FILES;
  if (files >= wanted) return undefined;
  return `a process may open ${String(files)} files (ulimit -Hn), and each connection of a worker is one, so a worker has fewer than ${String(CONNECTIONS)} connections: raise the limit to ${String(wanted)} or more`;
}

/** Largest number of open files of a process; undefined if unknown. */
function hardFileLimit(limits = readLimits()): number | undefined {
  const [, hard] = /^Max open files\s+\S+\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (hard === undefined) return undefined;
  return hard === "unlimited" ? WANTED_FILES : Number(hard);
}

/** Empty without /proc. */
function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}

/** The user of nginx's workers, and its primary group, if that user is not albc's own. */
export interface WorkerUser {
  readonly name: string;
  readonly uid: number;
  readonly group: string;
  readonly gid: number;
}

/** Undefined: the workers run as the user of albc. Throws EnvironmentError. */
export async function workerUser(name: string): Promise<WorkerUser | undefined> {
  if (name === "" || name === "root" || process.getuid?.() !== 0) return undefined;
  const [, , uid, gid] = await accountLine("/etc/passwd", ([account]) => account === name);
  if (uid === undefined || gid === undefined)
    throw new EnvironmentError(`the user ${name} of --nginx-user does not exist`);
  // nginx wants its name, which is not always that of the user: Debian's nobody is in nogroup.
  const [group] = await accountLine("/etc/group", ([, , id]) => id === gid);
  if (group === undefined)
    throw new EnvironmentError(
      `the group with id ${gid}, to which the user ${name} of --nginx-user belongs, has no name`,
    );
  return { name, uid: Number(uid), group, gid: Number(gid) };
}

/** The fields of the first line of passwd(5) or group(5) that matches; none if no line does. */
async function accountLine(
  path: string,
  matches: (fields: readonly string[]) => boolean,
): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return (
    text
      .split("\n")
      .map((line) => line.split(":"))
      .find(matches) ?? []
  );
}
