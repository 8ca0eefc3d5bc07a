/** Prometheus itself, which scrapes and evaluates rules every second. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "./free-port.js";
import type { Closable } from "./scene.js";
import { makeTempFolder, removeFolder } from "./temp-folder.js";
import { waitFor } from "./wait.js";

/** One series of an answer: its labels and its newest value. */
export interface PromSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Prometheus extends Closable {
  /** Throws if the expression can't be parsed. */
  query(expression: string): Promise<readonly PromSample[]>;
}

/** `ports`: of what is scraped, on 127.0.0.1. `rules`: path of a file with rules. Debian's package `prometheus` must be installed. */
export async function startPrometheus(
  ports: readonly number[],
  rules: string,
): Promise<Prometheus> {
  const folder = await makeTempFolder();
  const port = await freePort();
  const targets = ports.map((each) => `"127.0.0.1:${String(each)}"`).join(", ");
  const configuration = `
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [${JSON.stringify(rules)}]
scrape_configs:
  - { job_name: albc, honor_labels: true, static_configs: [{ targets: [${targets}] }] }
`;
  await writeFile(join(folder, "prometheus.yml"), configuration);
  const child = spawn(
    "prometheus",
    [
      ...["--config.file", "prometheus.yml", "--storage.tsdb.path", "data"],
      ...["--web.listen-address", `127.0.0.1:${String(port)}`],
    ],
    { cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );
  let log = "";
  child.stderr.on("data", (bytes: Buffer) => (log += bytes.toString()));
  let failure = "";
  child.on("error", ({ message }) => (failure = message));
  const ended = once(child, "close").catch(() => undefined);
  const origin = `http://127.0.0.1:${String(port)}`;
  await waitFor("Prometheus is ready", async () => {
    if (failure !== "" || child.exitCode !== null) return "ended";
    return (await fetch(`${origin}/-/ready`).catch(() => undefined))?.ok;
  });
  if (failure !== "") throw new Error(`${failure}; install Debian's package prometheus`);
  if (child.exitCode !== null) throw new Error(`Prometheus ended:\n${log}`);
  return {
    query: (expression) => query(origin, expression),
    close: async () => {
      child.kill();
      await ended;
      await removeFolder(folder);
    },
  };
}

async function query(origin: string, expression: string): Promise<readonly PromSample[]> {
  const response = await fetch(
    `${origin}/api/v1/query?${new URLSearchParams({ query: expression }).toString()}`,
  );
  if (!response.ok) throw new Error(`${expression}: ${await response.text()}`);
  const { data } = (await response.json()) as {
    data: {
      result: readonly { metric: Readonly<Record<string, string>>; value: [number, string] }[];
    };
  };
  return data.result.map(({ metric, value: [, value] }) => ({
    labels: metric,
    value: Number(value),
  }));
}
