import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { promisify } from "node:util";
import { nginxBinary } from "./static-nginx.js";

const run = promisify(execFile);

/** What the figures depend on, line by line. `programs`: others than nginx and Node.js that took part. */
export async function describeMachine(programs: readonly string[]): Promise<string[]> {
  const model = cpus()[0]?.model ?? "unknown processor";
  const memory = Math.round(totalmem() / 2 ** 30);
  return [
    `${availableParallelism()} processors (${model}), ${memory} GiB of memory`,
    `Linux ${release()}, ${await distribution()}, loopback`,
    `${await versionOf(nginxBinary(), "-v")}, Node.js ${process.version}`,
    ...(await Promise.all(programs.map((command) => versionOf(command, "--version")))),
  ];
}

async function distribution(): Promise<string> {
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  return /^PRETTY_NAME="?(.*?)"?$/m.exec(text)?.[1] ?? "unknown distribution";
}

/** The part of a program's greeting that says what it is: a name and a number with dots. */
async function versionOf(command: string, flag: string): Promise<string> {
  const { stdout, stderr } = await run(command, [flag]).catch((error: unknown) => {
    // wrk prints its version and fails.
    return error as { readonly stdout: string; readonly stderr: string };
  });
  const text = `${stdout}\n${stderr}`;
  const found = VERSIONS.map(([pattern, name = ""]) => {
    const version = pattern.exec(text)?.[0];
    return version === undefined ? undefined : `${name}${version}`;
  }).find((version) => version !== undefined);
  return found ?? text.trim();
}

/** What names a program and its version, or the version of the program that is named. */
const VERSIONS: readonly (readonly [pattern: RegExp, name?: string])[] = [
  // h2load's is that of its library.
  [/(?<=h2load )nghttp2\/[\d.]+/, "h2load of "],
  [/nginx\/[\d.]+/],
  [/HAProxy version [\d.]+/],
  [/(?<=\/)\d+\.\d+\.\d+(?=\/(?:Clean|Modified))/, "Envoy "],
  [/(?<=etcd Version: )[\d.]+/, "etcd "],
  [/wrk [\w./-]+/],
];
