/** What the nginx of a run folder serves, as tables of texts: `albc status` prints them, and the status page shows them. */
import { join } from "node:path";
import { counted } from "../diagnostics/format.js";
import { readPolicyFile } from "../explain/read-policy.js";
import { type PolicySummary, summaryOf } from "../explain/summary.js";
import { type DataPlaneStatus, ControlClient } from "../output/control-client.js";
import { readIfThere } from "../output/files.js";
import {
  type KnownChanges,
  type RecentChange,
  type RunIdentity,
  readChanges,
} from "../output/recent-changes.js";
import { EnvironmentError } from "../support/errors.js";
import { errorText, inSeconds, shortened } from "../support/text.js";

/** What policy.json says. */
export interface PolicyFacts extends PolicySummary {
  readonly version: string;
}

export interface RunStatus extends PolicyFacts, Omit<KnownChanges, "broken"> {
  readonly workers?: DataPlaneStatus["workers"];
  readonly expected?: number;
  readonly out?: DataPlaneStatus["out"];
  /** Why nginx can't be asked. */
  readonly problem?: string;
  /** Files that can't be read now. */
  readonly brokenFiles: readonly string[];
}

/** Reads all of policy.json, which takes a second for 100,000 routes. Throws EnvironmentError if there is none. */
export async function policyFacts(folder: string): Promise<PolicyFacts> {
  const path = join(folder, "policy.json");
  const text = await readIfThere(path);
  if (text === undefined) throw new EnvironmentError(`${path} does not exist; name a run folder`);
  const policy = readPolicyFile(text);
  if (!policy.ok) throw new EnvironmentError(`${path} can't be used: ${policy.problem}`);
  return { ...summaryOf(policy.value), version: policy.value.version };
}

/** `folder`: of policy.json. */
export async function statusOfRun(
  facts: PolicyFacts,
  folder: string,
  control: Pick<ControlClient, "status"> = new ControlClient(folder),
): Promise<RunStatus> {
  const { broken: brokenFiles, ...changes } = await readChanges(folder);
  const known = { ...facts, ...changes, brokenFiles };
  try {
    const { workers, expected, out } = await control.status();
    return { ...known, workers, expected, ...(out && { out }) };
  } catch (error: unknown) {
    return { ...known, problem: errorText(error) };
  }
}

/** What is wrong; undefined: every worker serves the policy, and nothing in it is broken. */
export function troubleOf({
  broken,
  workers = [],
  expected = 0,
  version,
  problem,
  brokenFiles,
}: RunStatus): string | undefined {
  const current = workers.filter((worker) => worker.version === version).length;
  const found = [
    ...(problem === undefined ? [] : ["nginx can't be asked"]),
    ...(problem === undefined && current !== expected
      ? [`${String(current)} of ${String(expected)} workers serve the policy`]
      : []),
    ...(broken.length === 0 ? [] : [counted(broken.length, "broken object")]),
    ...(brokenFiles.length === 0 ? [] : [counted(brokenFiles.length, "unreadable file")]),
  ];
  return found.length === 0 ? undefined : found.join(", ");
}

/** Paths of a broken object that are named. */
const MOST_PATHS = 5;

export interface StatusTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Labels and texts; a label may be empty. */
export function factRows(status: RunStatus): readonly (readonly [label: string, text: string])[] {
  const { version, routes, protectedRoutes, upstreams, endpoints, run } = status;
  return [
    ["state", stateOf(status)],
    ...(run === undefined ? [] : [["albc", identityOf(run)] as const]),
    ["policy", version],
    ...workerRows(status),
    ["routes", `${String(routes)}, ${String(protectedRoutes)} with auth of their own`],
    ["upstreams", `${String(upstreams)} with ${counted(endpoints, "endpoint")}`],
  ];
}

function identityOf({ version, pod, namespace }: RunIdentity): string {
  const place = namespace === undefined ? "" : `${namespace}/`;
  return pod === undefined ? version : `${version}, pod ${place}${pod}`;
}

/** Upstreams without endpoints are no trouble, since an application may be scaled to 0; but that is worth a look. */
function stateOf(status: RunStatus): string {
  const empty = status.empty.length;
  const rest =
    empty === 0 ? "all of the policy is served" : `${counted(empty, "upstream")} without endpoints`;
  return troubleOf(status) ?? rest;
}

function workerRows({
  workers = [],
  expected = 0,
  version,
  problem,
}: RunStatus): readonly (readonly [string, string])[] {
  if (problem !== undefined) return [["workers", `unknown: ${problem}`]];
  const old = workers.filter((worker) => worker.version !== version);
  return [
    ["workers", `${String(workers.length - old.length)} of ${String(expected)} serve it`],
    ...old.map(({ pid, version: other }) => ["", `pid ${String(pid)} serves ${other}`] as const),
  ];
}

/** What needs attention comes first. Tables without rows are left out. */
export function statusTables({
  broken,
  brokenFiles,
  unreadable,
  out = [],
  empty,
  listeners,
  changes,
  waiting,
}: RunStatus): readonly StatusTable[] {
  return [
    {
      title: "broken",
      columns: ["object", "paths", "reason"],
      rows: broken.map(({ object, paths, reason }) => [
        ...[object, shortened(paths, MOST_PATHS), reason],
      ]),
    },
    {
      title: "unreadable files",
      columns: ["file", "served"],
      rows: brokenFiles.map((file) => [
        ...[file, unreadable.includes(file) ? "nothing of it" : "its last valid content"],
      ]),
    },
    outTable(out),
    { title: "without endpoints", columns: ["upstream"], rows: empty.map((id) => [id]) },
    {
      title: "listeners",
      columns: ["port", "scheme", "names", "bindings", "hosts"],
      rows: listeners.map(({ port, tls, names, bindings, hosts }) => [
        ...[String(port), tls ? "https" : "http", String(names), String(bindings)],
        hosts.map((host) => (host === "" ? "any" : host)).join(" "),
      ]),
    },
    {
      title: "waiting for a reload",
      columns: ["namespace", "until", "objects"],
      rows: waiting.map(({ namespace, until, objects }) => [namespace, until, objects.join(", ")]),
    },
    {
      title: "recent changes",
      columns: ["time", "outcome", "took", "cause"],
      rows: changes.map((change) => [
        ...[inSeconds(change.at), change.outcome, `${String(change.milliseconds)} ms`],
        causeOf(change),
      ]),
    },
  ].filter(({ rows }) => rows.length > 0);
}

function outTable(out: NonNullable<RunStatus["out"]>): StatusTable {
  return {
    title: "endpoints that can't be reached",
    columns: ["endpoint", "upstream", "since", "reason"],
    rows: out.map(({ endpoint, upstream, since, reason }) => [
      ...[endpoint, upstream, inSeconds(new Date(since * 1000).toISOString()), reason],
    ]),
  };
}

function causeOf({ cause, objects, more, reason }: RecentChange): string {
  const causes = [...(cause === undefined ? [] : [cause]), ...objects];
  const named = causes.length === 0 ? "unknown" : causes.join(", ");
  const rest = more > 0 ? ` and ${String(more)} more` : "";
  return `${named}${rest}${reason === undefined ? "" : `: ${reason}`}`;
}
