import { dirname, join } from "node:path";
import { explain, readPolicy } from "../explain/explain.js";
import { formatExplanation } from "../explain/format.js";
import { readPolicyFile } from "../explain/read-policy.js";
import { type ExplainRequest, parseRequest } from "../explain/request.js";
import type { Resources } from "../input/resources.js";
import { ControlClient } from "../output/control-client.js";
import { readIfThere } from "../output/files.js";
import { contentsOf } from "../render/rendered-file.js";
import { EnvironmentError } from "../support/errors.js";
import { cidrContains } from "../support/ip-address.js";
import { errorText, visibleJson } from "../support/text.js";
import type { CallOf } from "./command-call.js";
import { certificateText } from "./certificate-text.js";
import type { Settings } from "./settings.js";
import { type ExitStatus, type Terminal, EXIT, UsageError } from "./terminal.js";
import { compileInput, reportDiagnostics } from "./validate.js";

/** A policy to ask, and what else is known about what it says. */
interface Asked {
  readonly policy: ReturnType<typeof readPolicy>;
  readonly status: ExitStatus;
  /** The text of a file below the run folder; undefined: it can't be read. */
  readonly contents: (path: string) => Promise<string | undefined>;
  /** Of an upstream that are not ready. */
  readonly unready: (upstream: string) => readonly string[];
  /** Which workers serve the policy. */
  readonly workers?: string;
}

/** `albc explain`: which route serves a request, and why, according to the policy of manifests, a cluster, a file or a running nginx. */
export async function runExplain(
  call: CallOf<"explain">,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  const request = parseRequest(call);
  if (!request.ok) throw new UsageError(request.problem);
  const { policy, status, contents, unready, workers } = await ask(call, settings, terminal);
  const explanation = explain(policy, request.value);
  const file = explanation.certificate ?? undefined;
  const pem = file === undefined ? undefined : await contents(file);
  const certificate = pem === undefined ? undefined : certificateText(pem);
  const notReady = (explanation.route?.backends ?? []).flatMap(({ upstream }) =>
    upstream === undefined ? [] : unready(upstream),
  );
  if (call.format === "json") {
    const facts = { ...explanation, certificate, unready: notReady, workers };
    terminal.write(`${visibleJson(facts, 2)}\n`);
    return exitOf(call, explanation.answer, status);
  }
  const facts: (readonly [string, string])[] = [];
  if (notReady.length > 0) facts.push(["", `not ready: ${notReady.join(", ")}`]);
  if (certificate !== undefined) facts.push(["certificate", certificate]);
  if (workers !== undefined) facts.push(["workers", workers]);
  facts.push(...untrustedClaims(call, request.value, settings));
  terminal.write(formatExplanation(explanation, facts));
  return exitOf(call, explanation.answer, status);
}

/** What proxies say of the client. */
const CLAIM = /^(?:forwarded|x-real-ip|x-forwarded-.+|x-original-.+)$/;

/** Headers of the request that claim something of the client, and don't count because it is no trusted proxy. */
function untrustedClaims(
  { policy, running }: CallOf<"explain">,
  { headers, client }: ExplainRequest,
  settings: Settings,
): readonly (readonly [string, string])[] {
  // What another albc has written does not say which proxies are trusted.
  if (policy !== undefined || running !== undefined) return [];
  const claims = [...headers.keys()].filter((name) => CLAIM.test(name));
  const trusted = settings.list("trustedProxies");
  if (claims.length === 0 || trusted.some((cidr) => cidrContains(cidr, client))) return [];
  const why = `${client} is not in trustedProxies, so what it claims does not count`;
  return [["untrusted", `${claims.join(", ")}: ${why}`]];
}

function exitOf(
  call: CallOf<"explain">,
  answer: ReturnType<typeof explain>["answer"],
  status: ExitStatus,
): ExitStatus {
  if (call.expect === undefined) return status;
  return statusOf(answer) === call.expect ? EXIT.fine : EXIT.inputErrors;
}

/** Of the client's answer, as if auth passed and the backend answered 200; undefined: the client gets none. */
function statusOf(answer: ReturnType<typeof explain>["answer"]): number | undefined {
  switch (answer.kind) {
    case "refused":
      return answer.status;
    case "redirected":
      return answer.redirect.status;
    case "forwarded":
      return 200;
    case "unreachable":
      return undefined;
  }
}

async function ask(
  call: CallOf<"explain">,
  settings: Settings,
  terminal: Terminal,
): Promise<Asked> {
  if (call.running !== undefined) return askRunning(call.running);
  if (call.policy !== undefined) return askPolicy(call.policy);
  const compiled = await compileInput(call, settings, terminal);
  const { compilation, diagnostics, summary, status, input } = compiled;
  reportDiagnostics(diagnostics, call.format, terminal.writeError, terminal.colours);
  if (diagnostics.length > 0 && call.format === "text") terminal.writeError(summary);
  const textOf = (path: string): string | undefined => {
    const file = compilation.files.find((each) => each.path === path);
    return file && contentsOf(file);
  };
  return {
    policy: readPolicy(textOf("policy.json") ?? "{}"),
    status,
    contents: (path) => Promise.resolve(textOf(path)),
    unready: (upstream) => unreadyOf(input.resources, upstream),
  };
}

/** Certificates stand beside the policy, if it is where albc has written it. Of endpoints, it has those that get requests. */
async function askPolicy(path: string): Promise<Asked> {
  return {
    policy: await policyIn(path),
    status: EXIT.fine,
    contents: (name) => readIfThere(join(dirname(path), name)),
    unready: () => [],
  };
}

/** The policy file is complete once every worker serves it, and the control socket says which version they serve. */
async function askRunning(folder: string): Promise<Asked> {
  const asked = await askPolicy(join(folder, "policy.json"));
  return { ...asked, workers: await workersOf(folder, asked.policy.version) };
}

async function workersOf(folder: string, version: string): Promise<string> {
  try {
    const { workers, expected } = await new ControlClient(folder).status();
    const current = workers.filter((worker) => worker.version === version).length;
    const of = `${String(current)} of ${String(expected)}`;
    return current === expected
      ? `${of} serve this`
      : `${of} serve this; the others another policy`;
  } catch (error: unknown) {
    return `none is known to serve this: ${errorText(error)}`;
  }
}

async function policyIn(path: string): Promise<Asked["policy"]> {
  const text = await readIfThere(path);
  if (text === undefined) throw new EnvironmentError(`${path} does not exist`);
  const policy = readPolicyFile(text);
  if (!policy.ok) throw new EnvironmentError(`${path} can't be used: ${policy.problem}`);
  return policy.value;
}

/** Addresses of the Service's endpoints that get no requests because they are not ready. */
function unreadyOf(resources: Resources, upstream: string): readonly string[] {
  const [namespace = "", service = ""] = upstream.split("/");
  const slices = resources.slices.get(namespace, service) ?? [];
  return slices.flatMap(({ endpoints }) =>
    endpoints.flatMap(({ addresses, conditions }) =>
      conditions?.ready === false ? addresses : [],
    ),
  );
}
