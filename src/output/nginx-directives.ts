import { readFileSync } from "node:fs";
import { word } from "../render/nginx/text.js";
import type { NginxBinary } from "./nginx-binary.js";

/** Two descriptors for each of the 16,384 connections of a worker, as many for listeners, and some for files. */
const WANTED_FILES = 131_072;
/** Of nginx besides the sockets of listeners. */
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
  return Math.floor(((hardFileLimit() ?? WANTED_FILES) - OTHER_FILES) / 2);
}

/** How many files a process may have open at most; undefined where that can't be told. */
function hardFileLimit(): number | undefined {
  const limits = readLimits();
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
