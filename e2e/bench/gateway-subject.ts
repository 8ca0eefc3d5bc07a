/** The product itself: `albc run` on manifests, one nginx worker. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { type Manifest, yaml } from "../harness/manifests.js";
import { PROXY_CPU } from "./processors.js";
import { type SiteOptions, albRules, httpRoutes, ingresses, services } from "./site.js";
import type { Subject } from "./subject.js";

const run = promisify(execFile);

/** What the rules are written as. HTTPRoutes are open, whatever `access` says. */
export type RouteKind = "Ingress" | "Rule" | "HTTPRoute";

export interface GatewaySubject extends Subject {
  readonly gateway: Gateway;
}

export interface GatewayOptions extends SiteOptions {
  readonly name: string;
  readonly kind: RouteKind;
  readonly authorization?: string;
  readonly accessLog?: boolean;
}

export async function startGateway(options: GatewayOptions): Promise<Subject> {
  const { name, kind, count, authorization, accessLog } = options;
  const port = await freePort();
  const manifests = [yaml(services(options)), yaml(ROUTES[kind](options, port))];
  const subject = await startGatewayOn(name, manifests, {
    port,
    gatewayPort: kind === "HTTPRoute",
    accessLog: accessLog ?? false,
  });
  return { ...subject, rules: count, ...(authorization !== undefined && { authorization }) };
}

const ROUTES = {
  Ingress: ingresses,
  Rule: albRules,
  HTTPRoute: httpRoutes,
} as const satisfies Record<RouteKind, (options: SiteOptions, port: number) => Manifest[]>;

/** On manifests, each text a file named by its position: `0.yaml` and so on. Without a port: a free one, for Ingresses. */
export async function startGatewayOn(
  name: string,
  manifests: readonly string[],
  options: {
    readonly port?: number;
    /** The port is a Gateway's, and none is for Ingresses. */
    readonly gatewayPort?: boolean;
    readonly accessLog?: boolean;
  } = {},
): Promise<GatewaySubject> {
  const port = options.port ?? (await freePort());
  const gateway = await Gateway.start({
    files: Object.fromEntries(manifests.map((text, index) => [`${index}.yaml`, text])),
    httpPort: options.gatewayPort === true ? 0 : port,
    flags: [
      ...["--workers", "1", "--https-port", "0", "--ipv6", "false"],
      ...["--access-log", options.accessLog === true ? "logs/access.log" : "off"],
    ],
  });
  const pids = await gateway.workerPids();
  for (const pid of pids) await run("taskset", ["-a", "-c", "-p", String(PROXY_CPU), String(pid)]);
  return { name, rules: 0, port, pids, gateway, close: () => gateway.close() };
}
