/** The product itself: `albc run` on manifests. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { yaml } from "../harness/manifests.js";
import { processorsFor } from "./processors.js";
import { type RouteKind, type SiteOptions, routes, services } from "./site.js";
import type { Subject } from "./subject.js";

const run = promisify(execFile);

export interface GatewaySubject extends Subject {
  readonly gateway: Gateway;
}

export interface GatewayOptions extends SiteOptions, Omit<StartOptions, "ports"> {
  readonly kind: RouteKind;
  readonly authorization: string | undefined;
}

/** Only Ingresses take the port of the option. */
export function portsOf(kind: RouteKind, port: number): StartOptions["ports"] {
  return kind === "Ingress" ? { http: port } : { own: port };
}

interface StartOptions {
  /** `http` and `https` are for Ingresses, `own` is named by a manifest. */
  readonly ports: Readonly<Partial<Record<"http" | "https" | "own", number>>>;
  readonly workers?: number | undefined;
  /** Of the command, besides those that every measurement has. */
  readonly flags?: readonly string[] | undefined;
  /** Variables of the command. */
  readonly env?: Readonly<Record<string, string>>;
  /** The built command, when it is another checkout's. */
  readonly main?: string | undefined;
}

export async function startGateway(options: GatewayOptions): Promise<Subject> {
  const { kind, authorization } = options;
  const port = await freePort();
  const manifests = [yaml(services(options)), yaml(routes(kind, options, port))];
  const ports = options.tls ? { https: port } : portsOf(kind, port);
  const subject = await startGatewayOn(manifests, { ...options, ports });
  return { ...subject, authorization };
}

/** On manifests, each text a file named by its position: `0.yaml` and so on. */
export async function startGatewayOn(
  manifests: readonly string[],
  { ports, workers = 1, flags = [], env = {}, main }: StartOptions,
): Promise<GatewaySubject> {
  const gateway = await Gateway.start({
    files: Object.fromEntries(manifests.map((text, index) => [`${index}.yaml`, text])),
    httpPort: ports.http ?? 0,
    httpsPort: ports.https ?? 0,
    flags: [...["--workers", String(workers), "--ipv6", "false", "--access-log", "off"], ...flags],
    env,
    main,
  });
  const pids = await gateway.workerPids();
  const cpus = processorsFor(workers);
  for (const pid of pids) await run("taskset", ["-a", "-c", "-p", cpus, String(pid)]);
  return {
    port: ports.http ?? ports.https ?? ports.own ?? 0,
    pids,
    helpers: [gateway.albc.pid],
    gateway,
    close: () => gateway.close(),
  };
}
