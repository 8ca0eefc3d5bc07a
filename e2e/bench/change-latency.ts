/** From the rename of a changed manifest to the first answer that shows the change, at 1,000 rules. */
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import type { Request } from "../harness/http-client.js";
import type { HttpResponse } from "../harness/http-message.js";
import { ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { waitFor } from "../harness/wait.js";
import type { Login } from "./credentials.js";
import { type GatewaySubject, startGatewayOn } from "./gateway-subject.js";
import { ingresses, services } from "./site.js";
import { maximum, median } from "./statistics.js";
import { BODY, OTHER_BODY, type Upstreams } from "./upstreams.js";

export interface ChangeLatency {
  readonly rules: number;
  readonly endpoint: Latency;
  readonly secret: Latency;
}

/** Milliseconds. */
export interface Latency {
  readonly median: number;
  readonly worst: number;
}

const ENDPOINT_HOST = "endpoint.bench.example";
const SECRET_HOST = "secret.bench.example";

export async function measureChanges(
  upstreams: Upstreams,
  login: Login,
  changes: number,
): Promise<ChangeLatency> {
  const rules = 1000;
  const site = { count: rules, access: { kind: "open" }, backend: upstreams.backend } as const;
  const users = (htpasswd: string): string => yaml(secret("watched", { auth: htpasswd }));
  const endpoint = (port: number): string => yaml(service("watched", [{ port }]));
  const gateway = await startGatewayOn("changes", [
    yaml(services(site)),
    yaml(ingresses(site)),
    yaml(
      ingress("endpoint", { hosts: { [ENDPOINT_HOST]: [{ service: "watched" }] } }),
      ingress("secret", {
        annotations: nginx({ "auth-type": "basic", "auth-secret": "watched" }),
        hosts: { [SECRET_HOST]: [{ service: "app-0" }] },
      }),
    ),
    endpoint(upstreams.backend),
    users(login.htpasswd),
  ]);
  try {
    return {
      rules,
      endpoint: await latency(changes, async (i) => {
        const other = i % 2 === 0;
        const port = other ? upstreams.otherBackend : upstreams.backend;
        const body = other ? OTHER_BODY : BODY;
        return untilSeen(gateway, ["3.yaml", endpoint(port)], {
          request: { host: ENDPOINT_HOST },
          holds: (response) => response.body.toString() === body,
        });
      }),
      secret: await latency(changes, async (i) => {
        const password = `secret-${i}`;
        const headers = [["Authorization", basic(login.user, password)]] as const;
        return untilSeen(gateway, ["4.yaml", users(await htpasswdLine(login.user, password))], {
          request: { host: SECRET_HOST, headers },
          holds: ({ status }) => status === 200,
        });
      }),
    };
  } finally {
    await gateway.close();
  }
}

async function latency(
  changes: number,
  change: (index: number) => Promise<number>,
): Promise<Latency> {
  const times: number[] = [];
  for (let i = 0; i < changes; i += 1) times.push(await change(i));
  return { median: median(times), worst: maximum(times) };
}

async function untilSeen(
  { gateway }: GatewaySubject,
  [name, text]: readonly [string, string],
  sign: { readonly request: Request; readonly holds: (response: HttpResponse) => boolean },
): Promise<number> {
  const connection = await gateway.connect();
  try {
    const started = performance.now();
    await gateway.write(name, text);
    await waitFor(
      "the change is live",
      async () => sign.holds(await connection.send(sign.request)),
      { every: 2 },
    );
    return performance.now() - started;
  } finally {
    connection.close();
  }
}
