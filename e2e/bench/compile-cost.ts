/** `albc render` as a user starts it: a cold process, manifests from files, the run folder written. */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { yaml } from "../harness/manifests.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { REPOSITORY } from "./repository.js";
import { httpRoutes, ingresses, services } from "./site.js";
import { median, minimum } from "./statistics.js";

const run = promisify(execFile);

export interface CompileCost {
  readonly kind: CompiledKind;
  /** Ingresses or HTTPRoutes. */
  readonly routes: number;
  /** All objects, the Services and EndpointSlices among them. */
  readonly objects: number;
  /** Seconds, of the best run. */
  readonly wall: number;
  readonly medianWall: number;
  readonly cpu: number;
  /** Largest resident memory in bytes. */
  readonly memory: number;
}

export type CompiledKind = "Ingress" | "HTTPRoute";

const PORT = 80;

export async function measureCompile(
  kind: CompiledKind,
  count: number,
  runs: number,
): Promise<CompileCost> {
  const folder = await makeTempFolder();
  try {
    const options = { count, access: { kind: "open" }, backend: 8080 } as const;
    const routes = kind === "Ingress" ? ingresses(options) : httpRoutes(options, PORT);
    const rest = services(options);
    await mkdir(join(folder, "manifests"));
    await writeFile(join(folder, "manifests/routes.yaml"), yaml(routes));
    await writeFile(join(folder, "manifests/services.yaml"), yaml(rest));
    const results: Usage[] = [];
    for (let i = 0; i < runs; i += 1) results.push(await render(folder, i));
    return {
      kind,
      routes: count,
      objects: routes.length + rest.length,
      wall: minimum(results.map(({ wall }) => wall)),
      medianWall: median(results.map(({ wall }) => wall)),
      cpu: minimum(results.map(({ cpu }) => cpu)),
      memory: minimum(results.map(({ memory }) => memory)),
    };
  } finally {
    await removeFolder(folder);
  }
}

interface Usage {
  readonly wall: number;
  readonly cpu: number;
  readonly memory: number;
}

async function render(folder: string, index: number): Promise<Usage> {
  const started = performance.now();
  const { stderr } = await run(
    process.execPath,
    [
      ...["--import", new URL("usage-on-exit.js", import.meta.url).href],
      ...[join(REPOSITORY, "dist/cli/main.js"), "render"],
      ...["-f", join(folder, "manifests"), "-o", join(folder, `out-${index}`)],
    ],
    { maxBuffer: 1 << 26 },
  );
  const wall = (performance.now() - started) / 1000;
  const usage = /^USAGE (.*)$/m.exec(stderr)?.[1];
  if (usage === undefined) throw new Error(`albc render said:\n${stderr}`);
  const { cpu, memory } = JSON.parse(usage) as { readonly cpu: number; readonly memory: number };
  return { wall, cpu: cpu / 1000, memory };
}
