/** `albc render` as a user starts it: a cold process, manifests from files, the run folder written. */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { yaml } from "../harness/manifests.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { REPOSITORY } from "./repository.js";
import { type RouteKind, routes, services } from "./site.js";
import { type Estimate, mean } from "./statistics.js";

const run = promisify(execFile);

export interface CompileCost {
  readonly kind: RouteKind;
  readonly routes: number;
  /** All objects, the Services and EndpointSlices among them. */
  readonly objects: number;
  /** Seconds. */
  readonly wall: Estimate;
  readonly cpu: Estimate;
  /** Largest resident memory in bytes. */
  readonly memory: Estimate;
}

const PORT = 80;

export async function measureCompile(
  kind: RouteKind,
  count: number,
  runs: number,
): Promise<CompileCost> {
  const folder = await makeTempFolder();
  try {
    const options = { count, access: { kind: "open" }, backend: 8080 } as const;
    const own = routes(kind, options, PORT);
    const rest = services(options);
    await mkdir(join(folder, "manifests"));
    await writeFile(join(folder, "manifests/routes.yaml"), yaml(own));
    await writeFile(join(folder, "manifests/services.yaml"), yaml(rest));
    const results: Usage[] = [];
    for (let i = 0; i < runs; i += 1) results.push(await render(folder, i));
    return {
      kind,
      routes: count,
      objects: own.length + rest.length,
      wall: mean(results.map(({ wall }) => wall)),
      cpu: mean(results.map(({ cpu }) => cpu)),
      memory: mean(results.map(({ memory }) => memory)),
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
  const usage = /^.*"msg":"usage".*$/m.exec(stderr)?.[0];
  if (usage === undefined) throw new Error(`albc render said:\n${stderr}`);
  const { cpu, memory } = JSON.parse(usage) as { readonly cpu: number; readonly memory: number };
  return { wall, cpu: cpu / 1000, memory };
}
