/** The rules that every proxy is configured for, and the requests that meet them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Closable } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";

export interface Rule {
  readonly index: number;
  readonly host: string;
  /** Path prefix by elements. */
  readonly path: string;
}

export const FEW = 10;
export const MANY = 1000;
export const HUGE = 10_000;

/** Ten paths on each host. */
export function rules(count: number): Rule[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    host: `host-${Math.floor(index / 10)}.bench.example`,
    path: `/app-${index % 10}`,
  }));
}

/** Files of requests, one for each rule. */
export class Traffic implements Closable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async write(): Promise<Traffic> {
    const traffic = new Traffic(await makeTempFolder());
    for (const count of [FEW, MANY, HUGE]) {
      const lines = rules(count).map(({ host, path }) => `${host} ${path}${REST}\n`);
      await writeFile(traffic.requests(count), lines.join(""));
    }
    return traffic;
  }

  /** Lines `host path` for load/spread.lua. */
  requests(count: number): string {
    return join(this.#folder, `requests-${count}`);
  }

  async close(): Promise<void> {
    await removeFolder(this.#folder);
  }
}

const REST = "/items/17?view=short";
