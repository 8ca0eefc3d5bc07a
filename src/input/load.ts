/** Manifests → Resources: the entrance for the CLI, for tests, and for objects of an API server. */
import { sortDiagnostics } from "../diagnostics/sink.js";
import { decode, refOfRefused, takenOf } from "./decode.js";
import { countObjects, countUnknownKinds, findingDiagnostics } from "./input-diagnostics.js";
import { kindTable } from "./kind-table.js";
import { advance, initialInput } from "./last-good.js";
import type { Advance } from "./last-good.js";
import { takeSnapshot } from "./snapshot.js";
import { DEFAULT_INPUT_OPTIONS } from "./source.js";
import type { InputOptions, Source } from "./source.js";

export type LoadResult = Pick<Advance, "resources" | "diagnostics" | "unknownKinds" | "objects">;

/** Reads the sources in their order; of two objects with one name the first stays. */
export function loadResources(
  sources: readonly Source[],
  options: InputOptions = DEFAULT_INPUT_OPTIONS,
): LoadResult {
  const read = advance(initialInput(options), sources);
  const { resources, diagnostics, unknownKinds, objects } = read;
  return { resources, diagnostics, unknownKinds, objects };
}

/** One text with manifests, as a file would hold it. */
export function resourcesFromYaml(
  text: string,
  options: InputOptions = DEFAULT_INPUT_OPTIONS,
): LoadResult {
  return loadResources([{ path: "<text>", text }], options);
}

/** Objects as an API server gives them; they stand in no file. */
export function resourcesFromObjects(
  objects: readonly unknown[],
  options: InputOptions = DEFAULT_INPUT_OPTIONS,
): LoadResult {
  const table = kindTable(options.albGroup);
  const values = objects.map((value) => ({ decoded: decode(value, table), locate: nowhere }));
  const snapshot = takeSnapshot(
    values.flatMap(({ decoded, locate }) => {
      const taken = takenOf(decoded);
      return taken === undefined ? [] : [{ path: "", ...taken, locate }];
    }),
    values.flatMap(({ decoded }) => refOfRefused(decoded) ?? []),
  );
  return {
    resources: snapshot.resources,
    diagnostics: sortDiagnostics([...values.flatMap(findingDiagnostics), ...snapshot.diagnostics]),
    unknownKinds: countUnknownKinds(values.map((value) => value.decoded)),
    objects: countObjects(values.map((value) => value.decoded)),
  };
}

function nowhere(): undefined {
  return undefined;
}
