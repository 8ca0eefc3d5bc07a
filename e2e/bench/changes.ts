/**
 * What one change costs where there are many objects: each step in this process, and the time from the rename of the changed file until
 * every worker of a running gateway serves it. `node .bench/e2e/bench/changes.js [ROUTES [CHANGES [KINDS [RATE]]]]`: ROUTES
 * HTTPRoutes, as many Ingresses and as many Rules, each kind in one file; KINDS is a regular expression. With a RATE, so many requests a
 * second come meanwhile, for a route that does not change.
 */
import { setTimeout as pause } from "node:timers/promises";
import { DiagnosticSink } from "../../src/diagnostics/sink.js";
import { type InputState, advance, initialInput } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { policyDelta } from "../../src/output/data-plane.js";
import { Renderer } from "../../src/render.js";
import { RenderedPolicy } from "../../src/render/rendered-file.js";
import {
  TranslationMemory,
  newEndpoints,
  translateRouting,
  withUpstreams,
} from "../../src/translate.js";
import { isServedByAll } from "../harness/control.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { authFilter, authPolicy, gatewayOn, httpRoute } from "../harness/gateway-manifests.js";
import {
  type Manifest,
  alb2,
  frontend,
  ingress,
  namespace,
  rule,
  secret,
  service,
  serviceGroup,
  yaml,
} from "../harness/manifests.js";
import type { Closable } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { MEASURED, longestBlock } from "./event-loop.js";
import { openLoop } from "./loads.js";
import { FEW, Traffic, rules } from "./traffic.js";
import { type Upstreams, startUpstreams } from "./upstreams.js";

/** Of ten routes one has an AuthPolicy and a Secret of its own. */
const TEN = 10;
/** Milliseconds between changes, so that none is part of a batch. */
const REST = 600;
const OWNER = { alb: "bench", frontend: "bench" };

type Ports = Readonly<typeof PORTS>;

/** An object by its number; another `version` is another content. */
type Made = (index: number, version: number) => Manifest;

const hostOf = (kind: string, index: number): string =>
  `${kind}-${String(Math.floor(index / TEN))}.bench.example`;
const name = (index: number): string => `app-${String(index)}`;
const path = (index: number, version: number): string =>
  `/app-${String(index % TEN)}${version === 0 ? "" : `-${String(version)}`}`;
const HASH = "$apr1$changing$0123456789abcdefghijk/";

const [firstOf, sliceOf] = [0, 1].map((position): Made => (index, version) => {
  const made = service(name(index), [{ address: `10.0.${String(version % 250)}.1`, port: 8080 }]);
  return made[position] ?? namespace("default");
});

/** A second listener, Frontend or ALB2, which no route uses, so a change of it concerns none. */
const OTHER = "other";

const PARENTS: Readonly<Record<string, (ports: Ports, version: number) => readonly Manifest[]>> = {
  Gateway: (ports, version) => gatewayWith(ports, `v${String(version)}.other.example`),
  ALB2: (ports, version) => [
    alb2(OWNER.alb, { ingressHTTPPort: ports.ingresses, ingressHTTPSPort: 0 }),
    alb2(OTHER, { enableIngress: false, timeout: { proxy_read_timeout_ms: 1000 + version } }),
  ],
  Frontend: (ports, version) => [
    frontend(OWNER.frontend, OWNER.alb, { port: ports.rules }),
    frontend(OTHER, OTHER, {
      port: ports.others,
      serviceGroup: serviceGroup({ [name(version % TEN)]: 100 }),
    }),
  ],
};

/** The Gateway of all routes, with a listener of another host beside the one that they are attached to. */
function gatewayWith(ports: Ports, hostname: string): readonly Manifest[] {
  return gatewayOn({ http: ports.gateway }).map((object) => {
    const spec = object["spec"] as { readonly listeners?: readonly object[] };
    const listeners = spec.listeners?.flatMap((one) => [one, { ...one, name: OTHER, hostname }]);
    return listeners === undefined ? object : { ...object, spec: { ...spec, listeners } };
  });
}

const KINDS: Readonly<Record<string, Made>> = {
  EndpointSlice: (index, version) => sliceOf?.(index, version) ?? namespace("default"),
  HTTPRoute: (index, version) => {
    const filters = index % TEN === 0 ? [authFilter(name(index))] : [];
    const rules = [{ path: path(index, version), service: name(index), filters }];
    return httpRoute(name(index), [hostOf("route", index)], rules);
  },
  Ingress: (index, version) =>
    ingress(name(index), {
      hosts: { [hostOf("ingress", index)]: [{ path: path(index, version), service: name(index) }] },
    }),
  Rule: (index, version) =>
    rule(name(index), OWNER, {
      dslx: [
        { type: "HOST", values: [["EQ", hostOf("rule", index)]] },
        { type: "URL", values: [["STARTS_WITH", path(index, version)]] },
      ],
      serviceGroup: serviceGroup({ [name(index)]: 100 }),
    }),
  Secret: (index, version) => secret(name(index), { auth: `u${String(version)}:${HASH}\n` }),
  AuthPolicy: (index, version) => {
    const basic = { realm: `r${String(version)}`, secret: `default/${name(index)}` };
    return authPolicy(name(index), { basic: { ...basic, secret_type: "auth-file" } });
  },
  Service: (index, version) => {
    const made = firstOf?.(index, 0) ?? namespace("default");
    const port = { name: version % 2 === 0 ? "http" : "other", port: 80, targetPort: 8080 };
    return { ...made, spec: { ports: [port] } };
  },
};
const OF_TEN: ReadonlySet<string> = new Set(["Secret", "AuthPolicy"]);

/** A named port of a Service matters to no route, so nothing is served differently. */
const UNSEEN = "Service";

/** Files of many documents, and changes of one document. */
class Site {
  readonly #documents = new Map<string, string[]>();
  readonly #routes: number;
  readonly #ports: Ports;
  #version = 0;

  constructor(routes: number, ports: Ports, shared: readonly Manifest[] = []) {
    this.#routes = routes;
    this.#ports = ports;
    this.#documents.set(
      "shared",
      [namespace("default"), ...shared].map((each) => yaml(each)),
    );
    for (const [kind, made] of Object.entries(PARENTS)) {
      this.#documents.set(kind, [yaml(made(ports, 0))]);
    }
    for (const [kind, made] of Object.entries(KINDS)) {
      const step = OF_TEN.has(kind) ? TEN : 1;
      const count = Math.ceil(routes / step);
      const all = Array.from({ length: count }, (_, i) => yaml(made(i * step, 0)));
      this.#documents.set(kind, all);
    }
  }

  /** Changes an object of the kind. */
  change(kind: string): void {
    const step = OF_TEN.has(kind) ? TEN : 1;
    const version = (this.#version += 1);
    const parents = PARENTS[kind];
    if (parents !== undefined) {
      this.#documents.set(kind, [yaml(parents(this.#ports, version))]);
      return;
    }
    const index = (version * 7919 * step) % this.#routes;
    const at = Math.floor(index / step);
    const documents = this.#documents.get(kind) ?? [];
    documents[at] = yaml(KINDS[kind]?.(at * step, version) ?? namespace("default"));
  }

  text(file: string): string {
    return (this.#documents.get(file) ?? []).join("---\n");
  }

  get files(): readonly string[] {
    return [...this.#documents.keys()];
  }
}

type Times = Map<string, number[]>;

function note(times: Times, step: string, milliseconds: number): void {
  times.set(step, [...(times.get(step) ?? []), milliseconds]);
}

/** The steps of a change, as the compiler and the applier take them. */
class Steps {
  readonly #memory = new TranslationMemory();
  readonly #endpoints = newEndpoints();
  readonly #renderer = new Renderer();
  #input: InputState = initialInput({ albGroup: DEFAULT_OPTIONS.domains.group });
  #policy: RenderedPolicy | undefined;

  run(site: Site, times: Times): void {
    const sources = site.files.map((file) => ({ path: `${file}.yaml`, text: site.text(file) }));
    const timed = <T>(step: string, work: () => T): T => {
      const start = performance.now();
      const result = work();
      note(times, step, performance.now() - start);
      return result;
    };
    const { resources, state } = timed("read", () => advance(this.#input, sources));
    this.#input = state;
    const routing = timed("translate", () =>
      translateRouting(resources, DEFAULT_OPTIONS, new DiagnosticSink(), this.#memory),
    );
    const { config } = timed("endpoints", () =>
      withUpstreams(routing, resources, this.#endpoints, DEFAULT_OPTIONS),
    );
    const files = timed("render", () => this.#renderer.render(config, DEFAULT_OPTIONS));
    const policy = files.find((file) => file.path === "policy.json")?.contents;
    if (!(policy instanceof RenderedPolicy)) throw new Error("no policy");
    timed("delta", () => policyDelta(this.#policy, policy));
    this.#policy = policy;
  }
}

function row(kind: string, times: Times): string {
  const cells = [...times].map(([step, all]) => {
    const sorted = [...all].sort((a, b) => a - b);
    const at = (share: number): string =>
      (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(1);
    return `${step} ${at(0.5)} ${at(0.9)} ${at(1)}`;
  });
  return `${kind.padEnd(14)} ${cells.join(" | ")}\n`;
}

async function live(gateway: Gateway, site: Site, kind: string): Promise<number> {
  site.change(kind);
  const text = site.text(kind);
  const { version } = await gateway.status();
  await gateway.write(`${kind}.yaml`, text);
  const start = performance.now();
  const isLive = async (): Promise<boolean> => {
    const status = await gateway.status();
    return status.version !== version && isServedByAll(status);
  };
  await waitFor(`a change of ${kind} is live`, isLive, { every: 1 });
  return performance.now() - start;
}

/** Requests for a route that does not change, while others do. */
class Meanwhile implements Closable {
  readonly #rate: number;
  readonly #traffic: Traffic;
  readonly #upstreams: Upstreams;

  private constructor(rate: number, traffic: Traffic, upstreams: Upstreams) {
    this.#rate = rate;
    this.#traffic = traffic;
    this.#upstreams = upstreams;
  }

  static async start(rate: number): Promise<Meanwhile> {
    return new Meanwhile(rate, await Traffic.write(), await startUpstreams());
  }

  get objects(): readonly Manifest[] {
    const endpoints = [{ address: "127.0.0.1", port: this.#upstreams.backend }];
    const hosts = [...new Set(rules(FEW).map(({ host }) => host))];
    return [httpRoute("asked", hosts, [{ service: "asked" }]), ...service("asked", endpoints)];
  }

  /** For so many seconds, in which `begin` should end. */
  async run(port: number, seconds: number, begin: () => Promise<void>): Promise<string> {
    const [subject, traffic] = [{ port }, this.#traffic];
    const slice = { subject, rules: FEW, traffic, seconds, begin };
    const { requests, p50, p99, tail } = await openLoop(this.#rate).run(slice);
    const times = [p50, p99, tail?.p999 ?? NaN].map((time) => (time / 1000).toFixed(1)).join(" ");
    return `${String(requests)} requests, ${String(tail?.unanswered)} failed, p50 p99 p99.9 ${times}\n`;
  }

  async close(): Promise<void> {
    await this.#upstreams.close();
    await this.#traffic.close();
  }
}

const PORTS = { gateway: 8081, ingresses: 8082, rules: 8083, others: 8084 };

/** Prints what the steps cost in this process. */
function inSteps(routes: number, changes: number, kinds: readonly string[]): void {
  const site = new Site(routes, PORTS);
  const steps = new Steps();
  steps.run(site, new Map());
  for (const kind of kinds) {
    const times: Times = new Map();
    for (let i = 0; i < changes; i += 1) {
      site.change(kind);
      steps.run(site, times);
    }
    process.stdout.write(row(kind, times));
  }
}

/** Prints when changes are live, and how requests are answered meanwhile. */
async function inGateway(
  routes: number,
  changes: number,
  kinds: readonly string[],
  meanwhile: Meanwhile | undefined,
): Promise<void> {
  const ports = await freePorts(PORTS);
  const site = new Site(routes, ports, meanwhile?.objects);
  const gateway = await Gateway.start({
    files: Object.fromEntries(site.files.map((file) => [`${file}.yaml`, site.text(file)])),
    httpPort: 0,
    httpsPort: 0,
    flags: ["--ipv6", "false", "--access-log", "off"],
    env: MEASURED,
  });
  const seconds = (changes * REST * 1.3) / 1000;
  const ask = async (name: string, work: () => Promise<void>): Promise<void> => {
    if (meanwhile === undefined) return work();
    const answered = await meanwhile.run(ports.gateway, seconds, work);
    process.stdout.write(`${name.padEnd(14)} ${answered}`);
  };
  try {
    await ask("no changes", async () => pause(0));
    for (const kind of kinds) {
      const times: Times = new Map();
      await longestBlock(gateway);
      await ask(kind, async () => {
        for (let i = 0; i < changes; i += 1) {
          await pause(REST);
          note(times, "live", await live(gateway, site, kind));
          note(times, "block", await longestBlock(gateway));
        }
      });
      process.stdout.write(row(kind, times));
    }
    await ask("no changes", async () => pause(0));
  } finally {
    await gateway.close();
  }
}

async function freePorts(names: Ports): Promise<Ports> {
  const ports = { ...names };
  for (const name of Object.keys(names) as (keyof Ports)[]) ports[name] = await freePort();
  return ports;
}

async function main([
  routes = "10000",
  changes = "20",
  which = "",
  rate,
]: readonly string[]): Promise<void> {
  const kinds = [...Object.keys(KINDS), ...Object.keys(PARENTS)].filter((kind) =>
    new RegExp(which).test(kind),
  );
  process.stdout.write("milliseconds: median, 90 %, most\n");
  if (rate === undefined) inSteps(Number(routes), Number(changes), kinds);
  const meanwhile = rate === undefined ? undefined : await Meanwhile.start(Number(rate));
  const seen = kinds.filter((kind) => kind !== UNSEEN);
  try {
    await inGateway(Number(routes), Number(changes), seen, meanwhile);
  } finally {
    await meanwhile?.close();
  }
}

await main(process.argv.slice(2));
