/** Policies to compare, and requests that a change concerns. */
import { compile } from "../../src/compile.js";
import type { Change } from "../../src/diff/diff.js";
import type { DiffInput } from "../../src/diff/side.js";
import { explain, readPolicy } from "../../src/explain/explain.js";
import { type ExplainRequest, parseRequest } from "../../src/explain/request.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import type { PolicyDocument } from "../../src/model/policy.js";
import { contentsOf } from "../../src/render/rendered-file.js";

export function compiled(yaml: string, over: Partial<typeof DEFAULT_OPTIONS> = {}): DiffInput {
  const { files, config } = compile(resourcesFromYaml(yaml).resources, {
    ...DEFAULT_OPTIONS,
    ...over,
  });
  const text = files.filter(({ path }) => path === "policy.json").map(contentsOf);
  return { policy: readPolicy(text.join("")), config };
}

export function request(
  url: string,
  {
    method = "GET",
    headers = [],
    client = "203.0.113.9",
  }: Partial<Parameters<typeof parseRequest>[0]> = {},
): ExplainRequest {
  const parsed = parseRequest({ method, url, headers, client });
  if (!parsed.ok) throw new Error(`${url}: ${parsed.problem}`);
  return parsed.value;
}

/** Whether the change says that it concerns the request: a policy with nothing but its places is asked. */
export function covers(change: Change, asked: ExplainRequest): boolean {
  const { doors, hosts, paths, when } = change;
  if (!doors.some(({ scheme, port }) => scheme === asked.scheme && port === asked.port))
    return false;
  const bindings = paths.map((path, n) => ({ order: String(n), route: "r", path, when }));
  const policy: PolicyDocument = {
    format: 5,
    version: "0".repeat(32),
    settings: { authTimeout: 1, authTlsVerify: true },
    servers: { s: { port: asked.port, tls: asked.scheme === "https", listeners: [["", "l"]] } },
    hosts: Object.fromEntries(hosts.map((host) => [`l|${host}`, bindings])),
    routes: { r: { source: ["", "", "", ""] } },
    auths: {},
    upstreams: {},
    certificates: { "s|": "certificates/x.pem" },
  };
  return explain(policy, asked).candidates.some(({ outcome }) => outcome.kind === "chosen");
}
