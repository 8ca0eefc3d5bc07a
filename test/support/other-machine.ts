/** A machine of its own with an HTTP server: a network namespace behind a veth pair. Needs root on Linux. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { Closable } from "../../e2e/harness/scene.js";
import { until } from "./until.js";

/** Answers each request at once and remembers nothing. */
const SERVER = `
  const server = require("node:http").createServer((_, response) => response.end("of another machine"));
  server.keepAliveTimeout = 0;
  process.stdout.write("up\\n");
  process.stdin.once("data", () => server.listen(80, () => process.stdout.write("listening\\n")));
  process.stdin.once("end", () => process.exit());
`;

let machines = 0;

export class OtherMachine implements Closable {
  /** What its server answers. */
  static readonly ANSWER = "of another machine";
  static readonly isPossible = process.platform === "linux" && process.getuid?.() === 0;
  readonly address: string;
  readonly #gateway: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, network: string) {
    this.#child = child;
    this.#gateway = `${network}.1`;
    this.address = `${network}.2`;
  }

  static async start(): Promise<OtherMachine> {
    machines += 1;
    const number = (process.pid * 8 + machines) % 32_768;
    const network = `10.${128 + (number >> 8)}.${number & 255}`;
    const child = spawn("unshare", ["--net", process.execPath, "-e", SERVER]);
    await once(child.stdout, "data");
    const pid = String(child.pid);
    const machine = new OtherMachine(child, network);
    ip(`link add al${number} type veth peer name eth0 netns ${pid}`);
    ip(`address add ${network}.1/24 dev al${number}`);
    ip(`link set al${number} up`);
    machine.#ip("link set lo up");
    machine.#ip(`address add ${network}.2/24 dev eth0`);
    machine.#ip("link set eth0 up");
    child.stdin.write("\n");
    await once(child.stdout, "data");
    await until(() => machine.#answers());
    return machine;
  }

  /** From now on no packet leaves it. */
  drop(): void {
    this.#ip(`route add blackhole ${this.#gateway}`);
  }

  heal(): void {
    this.#ip(`route del blackhole ${this.#gateway}`);
  }

  async close(): Promise<void> {
    const end = once(this.#child, "close");
    this.#child.stdin?.end();
    await end;
  }

  #ip(words: string): void {
    const all = ["-t", String(this.#child.pid), "-n", "ip", ...words.split(" ")];
    execFileSync("nsenter", all, { stdio: ["ignore", "ignore", "inherit"] });
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(80, this.address);
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
  }
}

function ip(words: string): void {
  execFileSync("ip", words.split(" "), { stdio: ["ignore", "ignore", "inherit"] });
}
