import { dump } from "js-yaml";
import type { Compilation } from "../compile.js";
import type { KindMap, KindName } from "../api/kinds.js";
import { KIND_NAMES } from "../api/kinds.js";
import type { Resources } from "../input/resources.js";
import { contentsOf } from "../render/rendered-file.js";
import { mergedStatus } from "../status/merge-status.js";
import type { ObjectStatus } from "../status/object-status.js";
import type { Emit } from "./arguments.js";

/**
 * One stage of the pipeline as text: YAML, or the file itself. Contents of secrets are left out. Statuses are as `albc run` would
 * write them into those that the objects have, but for the lastTransitionTime of our conditions: nothing changes here.
 */
export function emitStage(
  stage: Emit,
  resources: Resources,
  compilation: Compilation,
  controllerName: string,
): string {
  switch (stage) {
    case "resources":
      return documents(
        KIND_NAMES.flatMap((kind) => resources.list(kind).map((object) => printable(kind, object))),
      );
    case "ir":
      return dump(withoutHashes(compilation), { noRefs: true, lineWidth: -1 });
    case "nginx":
      return fileContents(compilation, "nginx.conf");
    case "policy":
      return fileContents(compilation, "policy.json");
    case "status":
      return documents(
        compilation.statuses.map((computed) => ({
          ...computed,
          status: mergedStatus(givenStatus(computed, resources), computed, { controllerName }),
        })),
      );
  }
}

function givenStatus({ kind, metadata }: ObjectStatus, resources: Resources): unknown {
  const name = KIND_NAMES.find((known) => known === kind);
  const object = name && resources.get(name, metadata.namespace, metadata.name);
  return object !== undefined && "status" in object ? object.status : undefined;
}

function documents(values: readonly unknown[]): string {
  return values.map((value) => `---\n${dump(value, { noRefs: true, lineWidth: -1 })}`).join("");
}

// Keys stay, so that one sees what a secret holds; values do not. An annotation may repeat the whole object.
function printable(kind: KindName, object: KindMap[KindName]): unknown {
  if (kind !== "Secret" || !("data" in object)) return object;
  const { annotations: _annotations, ...metadata } = object.metadata;
  const data = Object.fromEntries(Object.keys(object.data ?? {}).map((key) => [key, "[redacted]"]));
  return { ...object, metadata, data };
}

function withoutHashes(compilation: Compilation): unknown {
  const { credentials, certificates, ...rest } = compilation.config;
  return {
    ...rest,
    credentials: credentials.map((set) => ({
      id: set.id,
      users: set.users.map((entry) => entry.user),
    })),
    certificates: certificates.map((certificate) => ({ id: certificate.id })),
  };
}

function fileContents(compilation: Compilation, path: string): string {
  const file = compilation.files.find((each) => each.path === path);
  return file === undefined ? "" : contentsOf(file);
}
