/** A gateway of the test cluster, as its clients and its control socket see it. */
import { join } from "node:path";
import type { ControlStatus } from "../harness/control.js";
import { controlStatus } from "../harness/control.js";
import type { Request } from "../harness/http-client.js";
import { send } from "../harness/http-client.js";
import type { HttpResponse } from "../harness/http-message.js";
import { waitFor } from "../harness/wait.js";

export abstract class Answering {
  readonly port: number;
  readonly runFolder: string;

  protected constructor(port: number, runFolder: string) {
    this.port = port;
    this.runFolder = runFolder;
  }

  send(request: Request, port = this.port): Promise<HttpResponse> {
    return send({ port }, request);
  }

  /** Polls a request until `holds` of its answer; without an answer it does not. */
  until(
    what: string,
    request: Request & { readonly port?: number },
    holds: (response: HttpResponse) => boolean,
  ): Promise<HttpResponse> {
    return waitFor(what, async () => {
      const response = await this.send(request, request.port ?? this.port);
      if (holds(response)) return response;
      throw new Error(`${response.statusLine} ${response.reason ?? ""}`);
    });
  }

  status(): Promise<ControlStatus> {
    return controlStatus(join(this.runFolder, "control/control.sock"));
  }
}
