/**
 * The data plane's model → the files that run it, in memory. Takes the IR and options, gives bytes by path; knows
 * nothing of Kubernetes, disks or processes. Equal models give equal bytes.
 */
import type { DataPlaneConfig } from "../ir/config.js";
import type { CompileOptions } from "../options.js";
import { compareStrings } from "../support/compare.js";
import { renderNginxConf } from "./nginx/nginx-conf.js";
import { buildPolicy } from "./policy/build-policy.js";
import { policyJson } from "./policy/policy-json.js";
import { authorityFiles } from "./policy/authority-files.js";
import { certificateFile, credentialsFile, distinctFiles } from "./policy/secret-files.js";
import type { RenderedFile } from "./rendered-file.js";

/** nginx.conf, policy.json, credentials/, certificates/ and authorities/, sorted by path. */
export function render(config: DataPlaneConfig, options: CompileOptions): readonly RenderedFile[] {
  const credentials = new Map(config.credentials.map((set) => [set.id, credentialsFile(set)]));
  const certificates = new Map(
    config.certificates.map((entry) => [entry.id, certificateFile(entry)]),
  );
  const certificatePaths = paths(certificates);
  const policy = policyJson(
    buildPolicy(config, options, {
      credentials: paths(credentials),
      certificates: certificatePaths,
    }),
  );
  const size = Buffer.byteLength(policy);
  const conf = renderNginxConf(config, options, size, certificatePaths);
  const files: RenderedFile[] = [
    { path: "nginx.conf", contents: conf, mode: 0o644 },
    { path: "policy.json", contents: policy, mode: 0o600 },
    ...distinctFiles([
      ...credentials.values(),
      ...certificates.values(),
      ...authorityFiles(config),
    ]),
  ];
  return files.sort((a, b) => compareStrings(a.path, b.path));
}

function paths(files: ReadonlyMap<string, RenderedFile>): ReadonlyMap<string, string> {
  return new Map([...files].map(([id, file]) => [id, file.path]));
}
