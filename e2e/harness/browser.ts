/**
 * Debian's Chromium without windows, by the DevTools protocol (chromedevtools.github.io/devtools-protocol) over a pipe. The tests need a few of
 * its calls, which is less than a library would be.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Closable } from "./scene.js";
import { makeTempFolder, removeFolder } from "./temp-folder.js";
import { waitFor, within } from "./wait.js";

type Fields = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly message: string };
}

/** A tab. */
export interface Page {
  /** The value of a JavaScript expression, as JSON could hold it. */
  evaluate(expression: string): Promise<unknown>;
  /** URLs of all requests since it was opened, oldest first. */
  requests(): readonly string[];
  /** What the console would show: violations of a policy, and exceptions of scripts. */
  problems(): readonly string[];
}

const PROGRAM = "chromium-headless-shell";

export class Browser implements Closable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #ended: Promise<unknown>;
  readonly #messages: Message[] = [];
  #calls = 0;
  #text = "";

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    this.#ended = once(child, "close").catch(() => undefined);
    const output = child.stdio[4] as Readable;
    output.setEncoding("utf8").on("data", (text: string) => {
      const parts = (this.#text + text).split("\0");
      this.#text = parts.pop() ?? "";
      this.#messages.push(...parts.map((part) => JSON.parse(part) as Message));
    });
  }

  /** Debian's package chromium-headless-shell must be installed. */
  static async start(): Promise<Browser> {
    const folder = await makeTempFolder();
    // Chromium refuses to run as root with a sandbox. What it loads is ours.
    const words = ["--remote-debugging-pipe", `--user-data-dir=${folder}`, "--no-sandbox"];
    const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"] as const;
    const child = spawn(PROGRAM, words, { stdio: [...stdio] });
    await once(child, "spawn").catch((error: unknown) => {
      throw new Error(`${String(error)}; install Debian's package ${PROGRAM}`);
    });
    return new Browser(child, folder);
  }

  /** `width`: of the window, in CSS pixels; below 600 it is a phone's. `scheme`: what the user prefers. */
  async open(url: string, { width = 1000, height = 900, scheme = "light" } = {}): Promise<Page> {
    const { targetId } = await this.#call("Target.createTarget", { url: "about:blank" });
    const session = await this.#call("Target.attachToTarget", { targetId, flatten: true });
    const sessionId = String(session["sessionId"]);
    const call = (method: string, params: Fields = {}): Promise<Fields> =>
      this.#call(method, params, sessionId);
    const events = (name: string): readonly Fields[] =>
      this.#messages
        .filter((message) => message.sessionId === sessionId && message.method === name)
        .map(({ params = {} }) => params);
    const size = { width, height, deviceScaleFactor: 1, mobile: width < 600 };
    await call("Emulation.setDeviceMetricsOverride", size);
    const features = [{ name: "prefers-color-scheme", value: scheme }];
    await call("Emulation.setEmulatedMedia", { features });
    for (const domain of ["Page", "Network", "Log", "Runtime"]) await call(`${domain}.enable`);
    await call("Page.navigate", { url });
    await waitFor("the page is loaded", () => events("Page.loadEventFired").length > 0);
    return {
      evaluate: async (expression) => {
        const { result } = await call("Runtime.evaluate", { expression, returnByValue: true });
        return (result as Fields)["value"];
      },
      requests: () =>
        events("Network.requestWillBeSent").map(({ request }) =>
          String((request as Fields)["url"]),
        ),
      problems: () =>
        [...events("Log.entryAdded"), ...events("Runtime.exceptionThrown")].map((event) =>
          JSON.stringify(event),
        ),
    };
  }

  async close(): Promise<void> {
    // The program is a script: a signal would end the script alone.
    await this.#call("Browser.close", {});
    await this.#ended;
    await removeFolder(this.#folder);
  }

  async #call(method: string, params: Fields, sessionId?: string): Promise<Fields> {
    const id = ++this.#calls;
    const text = JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) });
    (this.#child.stdio[3] as Writable).write(`${text}\0`);
    const answer = waitFor(`${method} is answered`, () =>
      this.#messages.find((message) => message.id === id),
    );
    const gone = this.#ended.then(() => {
      throw new Error(`${PROGRAM} ended`);
    });
    const { result, error } = await within(method, Promise.race([answer, gone]));
    if (result === undefined) throw new Error(`${method}: ${error?.message ?? "no result"}`);
    return result;
  }
}
