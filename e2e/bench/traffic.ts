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
/** Only changes and memory are measured with so many. */
export const MOST = 100_000;

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
      const headers = Object.entries(BROWSER).map(([name, value]) => `${name}: ${value}\n`);
      const lines = rules(count).map(({ host, path }) => `${host} ${path}${REST}\n`);
      await writeFile(traffic.requests(count), [...headers, "\n", ...lines].join(""));
    }
    const urls = rules(FEW).map(({ host, path }) => `https://${host}${path}${REST}\n`);
    await writeFile(traffic.urls, urls.join(""));
    return traffic;
  }

  /** Header lines, an empty line, and lines `host path`. */
  requests(count: number): string {
    return join(this.#folder, `requests-${count}`);
  }

  /** A file of URLs to the rules of the first host, over TLS. */
  get urls(): string {
    return join(this.#folder, "urls");
  }

  async close(): Promise<void> {
    await removeFolder(this.#folder);
  }
}

const REST = "/items/17?view=short";

/** What browsers send besides Host. */
export const BROWSER = {
  Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "Accept-Encoding": "gzip, deflate, br",
  "Accept-Language": "en-US,en;q=0.5",
  "Cache-Control": "no-cache",
  Cookie: "session=0123456789abcdef; theme=dark",
  DNT: "1",
  Referer: "http://www.example/start",
  "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
} as const;
