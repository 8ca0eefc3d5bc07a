/** From the rename of a changed manifest to the first answer that shows the change, beside many other routes. */
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../harness/free-port.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import type { Request } from "../harness/http-client.js";
import type { HttpResponse } from "../harness/http-message.js";
import { type Manifest, service, yaml } from "../harness/manifests.js";
import { peakMemory } from "../harness/processes.js";
import { waitFor } from "../harness/wait.js";
import type { Login } from "./credentials.js";
import { MEASURED, longestBlock } from "./event-loop.js";
import { type GatewaySubject, portsOf, startGatewayOn } from "./gateway-subject.js";
import { type Gap, STILL, startProber } from "./pauses.js";
import {
  type Access,
  type RouteKind,
  parents,
  routeOf,
  serviceName,
  services,
  users,
} from "./site.js";
import { MOST, rules } from "./traffic.js";
import { BODY, OTHER_BODY, type Upstreams } from "./upstreams.js";

export interface ChangeLatency {
  readonly kind: RouteKind;
  readonly rules: number;
  /** Milliseconds, of each change. */
  readonly live: Readonly<Record<Changed, readonly number[]>>;
  /** Largest resident memory of albc, through its start and all changes, in bytes. */
  readonly memory: number;
  /** Milliseconds for which albc's event loop was blocked at most by a change. */
  readonly block: number;
  /** Of the worker while nothing changes, and then while other endpoints and routes, as many again, do. */
  readonly stillGaps: readonly Gap[];
  readonly gaps: readonly Gap[];
}

/** A route stands in a file of its own, or in the one with all others. */
export type Changed = "endpoint" | "secret" | "route" | "routeAmongAll";

/** What can be seen to change. */
interface Change {
  readonly file: string;
  readonly text: string;
  readonly request: Request;
  readonly holds: (response: HttpResponse) => boolean;
}

/** Files by position, see startGatewayOn. */
const FILE = { all: "1.yaml", endpoint: "2.yaml", secret: "3.yaml", route: "4.yaml" } as const;
/** At least so many changes, and no new one after so many milliseconds. */
const ENOUGH = { changes: 10, time: 30_000 };

/** `count`: of the other routes. */
export async function measureChanges(
  { kind, count, changes }: { readonly kind: RouteKind; count: number; changes: number },
  { upstreams, login }: { readonly upstreams: Upstreams; readonly login: Login },
): Promise<ChangeLatency> {
  const port = await freePort();
  const open: Access = { kind: "open" };
  const closed: Access = { kind: "basic", htpasswd: login.htpasswd };
  const site = { count, access: open, backend: upstreams.backend };
  const others = yaml(
    parents(kind, port, closed),
    rules(count).map((rule) => routeOf(kind, rule, site)),
  );
  const watched = (index: number, path: string, access: Access = open): Manifest =>
    routeOf(kind, { index, host: hostOf(index), path }, { access });
  const backend = (index: number, own = upstreams.backend): Manifest[] =>
    service(serviceName(index), [{ port: own }]);
  const manifests = [
    yaml(services(site), backend(SECRET), backend(ROUTE), backend(AMONG_ALL)),
    others,
    yaml(backend(ENDPOINT)),
    yaml(users(closed)),
    yaml(watched(ROUTE, "/none")),
    yaml(watched(ENDPOINT, "/"), watched(SECRET, "/", closed)),
  ];
  const series: Readonly<Record<Changed, (i: number) => Promise<Change> | Change>> = {
    endpoint: (i) => {
      const other = i % 2 === 0;
      return {
        file: FILE.endpoint,
        text: yaml(backend(ENDPOINT, other ? upstreams.otherBackend : upstreams.backend)),
        request: { host: hostOf(ENDPOINT) },
        holds: ({ body }) => body.toString() === (other ? OTHER_BODY : BODY),
      };
    },
    secret: async (i) => {
      const password = `secret-${i}`;
      const htpasswd = await htpasswdLine(login.user, password);
      const headers = [["Authorization", basic(login.user, password)]] as const;
      return {
        file: FILE.secret,
        text: yaml(users({ kind: "basic", htpasswd })),
        request: { host: hostOf(SECRET), headers },
        holds: ({ status }) => status === 200,
      };
    },
    route: (i) => ({
      file: FILE.route,
      text: yaml(watched(ROUTE, `/v${i}`)),
      request: { host: hostOf(ROUTE), path: `/v${i}` },
      holds: ({ status }) => status === 200,
    }),
    routeAmongAll: (i) => ({
      file: FILE.all,
      text: `${others}---\n${yaml(watched(AMONG_ALL, `/v${i}`))}`,
      request: { host: hostOf(AMONG_ALL), path: `/v${i}` },
      holds: ({ status }) => status === 200,
    }),
  };
  const gateway = await startGatewayOn(manifests, { ports: portsOf(kind, port), env: MEASURED });
  try {
    // Whatever blocked it at the start.
    await longestBlock(gateway.gateway);
    const measured = async (changed: Changed): Promise<number[]> => {
      const times: number[] = [];
      const end = performance.now() + ENOUGH.time;
      while (times.length < Math.min(changes, ENOUGH.changes) || performance.now() < end) {
        if (times.length === changes) break;
        times.push(await untilSeen(gateway, await series[changed](times.length)));
      }
      return times;
    };
    const live = {
      endpoint: await measured("endpoint"),
      secret: await measured("secret"),
      route: await measured("route"),
      routeAmongAll: await measured("routeAmongAll"),
    };
    const block = await longestBlock(gateway.gateway);
    const memory = await peakMemory(gateway.gateway.albc.pid);
    // After the times, on which the prober would tell.
    const workers = gateway.pids;
    const prober = await startProber({ port, host: hostOf(ENDPOINT), workers });
    try {
      await prober.gaps();
      await delay(STILL);
      const stillGaps = await prober.gaps();
      await measured("endpoint");
      await measured("route");
      return { kind, rules: count, live, memory, block, stillGaps, gaps: await prober.gaps() };
    } finally {
      await prober.close();
    }
  } finally {
    await gateway.close();
  }
}

/** Indexes that no other rule has. */
const [ENDPOINT, SECRET, ROUTE, AMONG_ALL] = [MOST, MOST + 1, MOST + 2, MOST + 3];

function hostOf(index: number): string {
  return `watched-${index}.bench.example`;
}

async function untilSeen(
  { gateway, port }: GatewaySubject,
  { file, text, request, holds }: Change,
): Promise<number> {
  const connection = await gateway.connect({ port });
  try {
    await gateway.write(file, text);
    const started = performance.now();
    await waitFor("the change is live", async () => holds(await connection.send(request)), {
      every: 2,
    });
    return performance.now() - started;
  } finally {
    connection.close();
  }
}
