/** A gateway of the test cluster, as its clients and its control socket see it. */
import { join } from "node:path";
import { type ControlStatus, controlStatus, isServedByAll } from "../harness/control.js";
import { type Request, send } from "../harness/http-client.js";
import type { HttpResponse } from "../harness/http-message.js";
import { waitFor } from "../harness/wait.js";

export abstract class Answering {
  readonly port: number;
  readonly runFolder: string;
  readonly nginxFolder: string;

  protected constructor(port: number, runFolder: string, nginxFolder = runFolder) {
    this.port = port;
    this.runFolder = runFolder;
    this.nginxFolder = nginxFolder;
  }

  send(request: Request, port = this.port): Promise<HttpResponse> {
    return send({ port }, request);
  }

  /** Polls a request until `holds` of its answer, and what one worker serves all do; without an answer it does not. */
  async until(
    what: string,
    request: Request & { readonly port?: number },
    holds: (response: HttpResponse) => boolean,
  ): Promise<HttpResponse> {
    const found = await waitFor(what, async () => {
      const response = await this.send(request, request.port ?? this.port);
      if (holds(response)) return response;
      throw new Error(`${response.statusLine} ${response.reason ?? ""}`);
    });
    await waitFor("the other workers follow", async () => isServedByAll(await this.status()));
    return found;
  }

  status(): Promise<ControlStatus> {
    return controlStatus(join(this.nginxFolder, "control/control.sock"));
  }
}
