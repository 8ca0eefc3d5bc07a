import { mkdirSync, renameSync } from "node:fs";
import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request,
} from "node:http";
import { join } from "node:path";
import { ControlClient, type DataPlaneStatus } from "../../src/output/control-client.js";

/** `control` leads past the bystander. */
type OnStatus = (status: DataPlaneStatus, control: ControlClient) => Promise<void>;

/** Stands between an Applier and the control socket of nginx, and may do something before an answer to `GET /status` goes on. */
export class ControlBystander {
  /** Past it, to nginx itself. */
  readonly control: ControlClient;
  readonly #run: string;
  readonly #server: Server;

  private constructor(runFolder: string, onStatus: OnStatus) {
    this.#run = runFolder;
    mkdirSync(join(runFolder, "behind"));
    renameSync(join(runFolder, "control"), join(runFolder, "behind/control"));
    mkdirSync(join(runFolder, "control"));
    this.control = new ControlClient(join(runFolder, "behind"));
    this.#server = createServer((asked, answer) => {
      const onward = async (text: string): Promise<void> => {
        if (asked.url === "/status")
          await onStatus(JSON.parse(text) as DataPlaneStatus, this.control);
      };
      void this.#forward(asked, answer, onward);
    });
  }

  /** `runFolder`: of an nginx that runs. */
  static async start(runFolder: string, onStatus: OnStatus): Promise<ControlBystander> {
    const bystander = new ControlBystander(runFolder, onStatus);
    const path = join(runFolder, "control/control.sock");
    await new Promise<void>((resolve) => bystander.#server.listen(path, resolve));
    return bystander;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #forward(
    asked: IncomingMessage,
    answer: ServerResponse,
    before: (text: string) => Promise<void>,
  ): Promise<void> {
    const { method, url, headers } = asked;
    const socketPath = join(this.#run, "behind/control/control.sock");
    const onward = request({ socketPath, method, path: url, headers, agent: false });
    asked.pipe(onward);
    const response = await new Promise<IncomingMessage>((resolve) =>
      onward.once("response", resolve),
    );
    let text = "";
    for await (const bytes of response as AsyncIterable<Buffer>) text += bytes.toString();
    await before(text);
    answer.writeHead(response.statusCode ?? 0);
    answer.end(text);
  }
}
