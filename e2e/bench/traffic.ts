/** The rules that every proxy is configured for, and the requests that meet them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Rule {
  readonly index: number;
  readonly host: string;
  /** Path prefix by elements. */
  readonly path: string;
}

/** Ten paths on each host. */
export function rules(count: number): Rule[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    host: `host-${Math.floor(index / 10)}.bench.example`,
    path: `/app-${index % 10}`,
  }));
}

/** Writes one request for each rule, for load/spread.lua; returns the file. */
export async function writeRequests(folder: string, count: number): Promise<string> {
  const file = join(folder, `requests-${count}`);
  const lines = rules(count).map(({ host, path }) => `${host} ${path}/items/17?view=short\n`);
  await writeFile(file, lines.join(""));
  return file;
}
