/** What holds for the metadata of every object. */
import type { KubernetesObject } from "../../api/wire.js";
import type { FieldPath } from "../../diagnostics/field-path.js";
import { invalid, missing, shown } from "../finding.js";
import type { Findings } from "../finding.js";
import { labelProblem, labelValueProblem, qualifiedNameProblem } from "./names.js";
import type { NameRule } from "./names.js";

/** Keys and values of all annotations together, in bytes. */
const MAX_ANNOTATIONS = 256 * 1024;
const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

export function* checkMetadata(object: KubernetesObject, nameRule: NameRule): Findings {
  const { name, namespace, creationTimestamp } = object.metadata;
  if (name === "") {
    yield missing(["metadata", "name"], "metadata.name must not be empty");
  } else {
    const problem = nameRule(name);
    if (problem !== undefined)
      yield invalid(["metadata", "name"], `the name ${shown(name)} ${problem}`);
  }
  const problem = namespace === "" ? undefined : labelProblem(namespace);
  if (problem !== undefined) {
    yield invalid(["metadata", "namespace"], `the namespace ${shown(namespace)} ${problem}`);
  }
  if (creationTimestamp !== undefined && !TIMESTAMP.test(creationTimestamp)) {
    yield invalid(
      ["metadata", "creationTimestamp"],
      `${shown(creationTimestamp)} is not a time`,
      'write it as in "2026-01-31T08:00:00Z", or leave it out',
    );
  }
  yield* checkLabels(object.metadata.labels ?? {}, ["metadata", "labels"]);
  yield* checkAnnotations(object.metadata.annotations ?? {});
}

/** Labels of an object, or a selector of them. */
export function* checkLabels(labels: Readonly<Record<string, string>>, field: FieldPath): Findings {
  for (const [key, value] of Object.entries(labels)) {
    const keyProblem = qualifiedNameProblem(key);
    if (keyProblem !== undefined)
      yield invalid([...field, key], `the key ${shown(key)} ${keyProblem}`);
    const problem = labelValueProblem(value);
    if (problem !== undefined)
      yield invalid([...field, key], `the value ${shown(value)} ${problem}`);
  }
}

function* checkAnnotations(annotations: Readonly<Record<string, string>>): Findings {
  const field = ["metadata", "annotations"];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    const problem = qualifiedNameProblem(key.toLowerCase());
    if (problem !== undefined) yield invalid([...field, key], `the key ${shown(key)} ${problem}`);
  }
  if (size > MAX_ANNOTATIONS) {
    yield invalid(
      field,
      `the annotations take ${size} bytes; all of an object's together may take ${MAX_ANNOTATIONS}`,
    );
  }
}
