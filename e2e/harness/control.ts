import { request } from "node:http";

export interface ControlStatus {
  readonly version: string;
  readonly expected: number;
  readonly workers: readonly {
    readonly pid: number;
    /** Grows with each start and reload. */
    readonly generation: number;
    readonly version: string;
  }[];
  /** Endpoints that get no requests. */
  readonly out: readonly { readonly endpoint: string; readonly reason: string }[];
}

/** What nginx's control socket says that its workers serve. */
export async function controlStatus(socketPath: string): Promise<ControlStatus> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { socketPath, path: "/status", timeout: 5000, agent: false },
      (answer) => {
        let text = "";
        answer.on("data", (bytes: Buffer) => (text += bytes.toString()));
        answer.on("error", reject);
        answer.on("end", () => {
          try {
            resolve(JSON.parse(text) as ControlStatus);
          } catch (error: unknown) {
            reject(new Error(`no status: ${text}`, { cause: error }));
          }
        });
      },
    );
    asked.on("error", reject);
    asked.on("timeout", () => asked.destroy(new Error("the control socket is silent")));
    asked.end();
  });
}

/** Does every worker serve the policy that was committed last? One follows the other within milliseconds. */
export function isServedByAll({ version, workers, expected }: ControlStatus): boolean {
  return workers.length === expected && workers.every((worker) => worker.version === version);
}

/** The version in the text of a policy.json: that of the document, or of the last change that follows it. */
export function writtenVersion(text: string): string | undefined {
  const changes = [...text.matchAll(/^albc-policy \d+ \S+ (\S+)$/gm)];
  return changes.at(-1)?.[1] ?? /^ {2}"version": "(\w+)"/m.exec(text)?.[1];
}
