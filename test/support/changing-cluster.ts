/** What the laws about incremental compilation share. */
import type { KindName } from "../../src/api/kinds.js";
import { type Compilation, compile } from "../../src/compile.js";
import { LiveObjects } from "../../src/input/object-store.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "../../src/model/options.js";
import { contentsOf } from "../../src/render/rendered-file.js";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: KindName;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: object;
}

/** Objects that change one by one. */
export class ChangingCluster {
  /** Each with its earlier versions: a refused object keeps its last valid one. */
  readonly objects = new Map<string, readonly Manifest[]>();
  /** The same, as the controller keeps them. */
  readonly live = newObjects();

  put(object: Manifest): void {
    const key = keyOf(object);
    this.objects.set(key, [...(this.objects.get(key) ?? []), object]);
    putInto(this.live, object);
  }

  delete(object: Manifest): void {
    const { namespace = "", name } = object.metadata;
    this.objects.delete(keyOf(object));
    this.live.delete(object.kind, namespace, name);
  }

  /** Compiled from scratch, from objects in another order. */
  fresh(options: CompileOptions): Compilation {
    const fresh = newObjects();
    for (const object of [...this.objects.values()].reverse().flat()) putInto(fresh, object);
    return compile(fresh.snapshot().resources, options);
  }
}

/** A compilation that can be compared: files with their texts. */
export function plain({ files, ...rest }: Compilation): unknown {
  return { ...rest, files: files.map((file) => ({ ...file, contents: contentsOf(file) })) };
}

function newObjects(): LiveObjects {
  return new LiveObjects({ albGroup: DEFAULT_OPTIONS.domains.group });
}

function putInto(live: LiveObjects, object: Manifest): void {
  const { namespace = "", name } = object.metadata;
  live.put(object.kind, namespace, name, object);
}

function keyOf({ kind, metadata: { namespace = "", name } }: Manifest): string {
  return `${kind} ${namespace} ${name}`;
}
