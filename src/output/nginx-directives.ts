import { readFile } from "node:fs/promises";
import { word } from "../render/nginx/text.js";
import type { NginxBinary } from "./nginx-binary.js";

/** Two descriptors for each of the 16,384 connections of a worker, and some for files. */
const WANTED_FILES = 65_536;

/** For `nginx -g`: what belongs to this machine and therefore not into nginx.conf. */
export async function mainDirectives(binary: NginxBinary, user: string): Promise<string> {
  const directives = [binary.directives, "daemon off;"];
  // Else nginx as root would give its workers the user it was built with, who can't read the run folder.
  if (process.getuid?.() === 0)
    directives.push(`user ${word(user === "" ? "root" : user).toString()};`);
  const files = await hardFileLimit();
  if (files !== undefined) {
    directives.push(`worker_rlimit_nofile ${String(Math.min(files, WANTED_FILES))};`);
  }
  return directives.join(" ").trim();
}

/** How many files a process may have open at most; undefined where that can't be told. */
async function hardFileLimit(): Promise<number | undefined> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, hard] = /^Max open files\s+\S+\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (hard === undefined) return undefined;
  return hard === "unlimited" ? WANTED_FILES : Number(hard);
}
