import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { within } from "./wait.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Variables that the tests read; albc has no options of these names. */
const OF_TESTS = { ALBC_PROPERTY_SECONDS: undefined, ALBC_PROPERTY_SEED: undefined };

/** Milliseconds for what it wrote before its end to be read. */
const LAST_WORDS = 1000;

/** One line of albc's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly text: string;
  /** In lines about the election: whether this replica leads from now on. */
  readonly leads?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** `albc` as users start it: the built command in a process of its own. */
export class AlbcProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<Exit>;
  readonly #silence: Promise<unknown>;
  #told = false;
  #ended: Exit | undefined;
  #output = "";
  #log = "";

  constructor(
    words: readonly string[],
    options: {
      readonly cwd: string;
      readonly env?: Record<string, string>;
      /** The built command, when it is another checkout's. */
      readonly main?: string | undefined;
      /** Words before the command. */
      readonly within?: readonly string[];
    },
  ) {
    const { within: before = [], main = MAIN } = options;
    const [command = "", ...rest] = [...before, process.execPath, main, ...words];
    this.#child = spawn(command, rest, {
      cwd: options.cwd,
      env: { ...process.env, ...OF_TESTS, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.on("data", (bytes: Buffer) => (this.#output += bytes.toString()));
    this.#child.stderr?.on("data", (bytes: Buffer) => (this.#log += bytes.toString()));
    // Not "close": what it may have left behind keeps its output open.
    this.#exit = once(this.#child, "exit").then(([code, signal]) => {
      this.#ended = { code: code as number | null, signal: signal as NodeJS.Signals | null };
      return this.#ended;
    });
    this.#silence = once(this.#child, "close");
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("albc could not be started");
    return this.#child.pid;
  }

  /** Everything on standard output so far. */
  get output(): string {
    return this.#output;
  }

  /** Everything on standard error so far. */
  get log(): string {
    return this.#log;
  }

  /** The log's whole lines; one that is not the JSON it should be gets the level `unreadable`. */
  get lines(): LogLine[] {
    return this.#log.split("\n").slice(0, -1).map(parseLine);
  }

  /** Whether it ended by itself. */
  get endedEarly(): boolean {
    return this.#ended !== undefined && !this.#told;
  }

  get ended(): Exit | undefined {
    return this.#ended;
  }

  /** Whether it has logged that it leads the replicas, and not since that it does no more. */
  get leads(): boolean {
    return this.lines.findLast(({ leads }) => leads !== undefined)?.leads ?? false;
  }

  signal(name: NodeJS.Signals): void {
    this.#told = true;
    this.#child.kill(name);
  }

  /** Waits for the end; one that does not come within `deadline` milliseconds is brought about and is an error. */
  async exit(deadline = 20_000): Promise<Exit> {
    try {
      const exit = await within("the end of albc", this.#exit, deadline);
      await within("its last words", this.#silence, LAST_WORDS).catch(() => undefined);
      return exit;
    } catch (error: unknown) {
      this.#child.kill("SIGKILL");
      await this.#exit;
      throw error;
    }
  }
}

function parseLine(text: string): LogLine {
  try {
    const { level, msg, leads } = JSON.parse(text) as Partial<Record<keyof LogLine, unknown>>;
    const line = { level: String(level), msg: String(msg), text };
    return typeof leads === "boolean" ? { ...line, leads } : line;
  } catch {
    return { level: "unreadable", msg: text, text };
  }
}
