/** `albc run --kubernetes` on the test cluster, with a real nginx: one of possibly several replicas. */
import { join } from "node:path";
import { AlbcProcess } from "../harness/albc-process.js";
import { freePort } from "../harness/free-port.js";
import type { Closable } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { testNginx } from "../harness/test-nginx.js";
import { waitFor } from "../harness/wait.js";
import { Answering } from "./answering.js";

export interface ReplicaOptions {
  /** The only one that it looks at. */
  readonly namespace: string;
  /** Where it and others elect their leader; by default there, too. */
  readonly home?: string;
  readonly flags?: readonly string[];
}

export class Replica extends Answering implements Closable {
  readonly albc: AlbcProcess;
  readonly #folder: string;

  private constructor(
    folder: string,
    port: number,
    { namespace, home = namespace, flags }: ReplicaOptions,
  ) {
    super(port, join(folder, "run"));
    this.#folder = folder;
    const words = [
      ...["run", "--kubernetes", "--dir", this.runFolder, "--nginx", testNginx()],
      ...[
        "--http-port",
        String(port),
        "--https-port",
        "0",
        "--workers",
        "2",
        "--ingress-without-class",
      ],
      ...["--namespaces", namespace, "--secret-namespaces", "*"],
      ...["--drain-timeout", "1s", ...(flags ?? [])],
    ];
    this.albc = new AlbcProcess(words, { cwd: folder, env: { POD_NAMESPACE: home } });
  }

  /** Resolves when it serves what the cluster holds. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(await makeTempFolder(), await freePort(), options);
    try {
      await waitFor("albc serves", () => replica.albc.lines.some(({ msg }) => msg === "serving"));
      return replica;
    } catch (error: unknown) {
      const { log } = replica.albc;
      await replica.close();
      throw new Error(`albc did not start: ${String(error)}\n${log}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.albc.signal("SIGTERM");
    await this.albc.exit();
    await removeFolder(this.#folder);
  }
}
