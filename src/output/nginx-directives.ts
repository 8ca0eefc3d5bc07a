import { readFileSync } from "node:fs";
import { word } from "../render/nginx/text.js";
import type { NginxBinary } from "./nginx-binary.js";

/** Of a worker, as in nginx.conf. */
const CONNECTIONS = 16_384;
/** Two descriptors for each connection of a worker, as many for listeners, and some for files. */
const WANTED_FILES = 131_072;
/** Of nginx besides the sockets of listeners, where the limit is not too small for that. */
const OTHER_FILES = 1024;

/** For `nginx -g`: what belongs to this machine and therefore not into nginx.conf. */
export function mainDirectives(binary: NginxBinary, user: string): string {
  const directives = [binary.directives, "daemon off;"];
  // Else nginx as root would give its workers the user it was built with, who can't read the run folder.
  if (process.getuid?.() === 0)
    directives.push(`user ${word(user === "" ? "root" : user).toString()};`);
  const files = hardFileLimit();
  if (files !== undefined) {
    directives.push(`worker_rlimit_nofile ${String(Math.min(files, WANTED_FILES))};`);
  }
  return directives.join(" ").trim();
}

/** How many sockets of listeners nginx can hold here: in a reload its master has those of before and those of after. */
export function mostSockets(): number {
  const files = hardFileLimit() ?? WANTED_FILES;
  return Math.floor(Math.max((files - OTHER_FILES) / 2, files / 4));
}

/** Why a worker has fewer connections than nginx.conf gives it; undefined: it has all of them. `limits`: as /proc shows them. */
export function fileShortage(limits = readLimits()): string | undefined {
  const files = hardFileLimit(limits) ?? WANTED_FILES;
  const wanted = CONNECTIONS + OTHER_FILES;
  if (files >= wanted) return undefined;
  return `a process may open ${String(files)} files (ulimit -Hn), and each connection of a worker is one, so a worker has fewer than ${String(CONNECTIONS)} connections: raise the limit to ${String(wanted)} or more`;
}

/** How many files a process may have open at most; undefined where that can't be told. */
function hardFileLimit(limits = readLimits()): number | undefined {
  const [, hard] = /^Max open files\s+\S+\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (hard === undefined) return undefined;
  return hard === "unlimited" ? WANTED_FILES : Number(hard);
}

/** Empty where there is no /proc. */
function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}
