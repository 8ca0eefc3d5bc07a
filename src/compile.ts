/**
 * The pipeline on one screen: Resources → translate → data-plane model → render → files.
 * Pure: no files, clock, process or randomness; equal objects and options give equal bytes, whatever their order.
 */
import type { Diagnostic, ResourceRef } from "./diagnostics/diagnostic.js";
import { KnownDiagnostics } from "./diagnostics/known-diagnostics.js";
import { DiagnosticSink, type Report } from "./diagnostics/sink.js";
import { closedObject } from "./input/closed-form.js";
import type { Resources, RoutingResources } from "./input/resources.js";
import type { DataPlaneConfig } from "./model/config.js";
import type { CompileOptions } from "./model/options.js";
import { Renderer } from "./render.js";
import type { RenderedFile } from "./render/rendered-file.js";
import type { ObjectStatus, OwnedObject } from "./status/object-status.js";
import { PolicyTooLarge } from "./support/errors.js";
import { sameElements } from "./support/collections.js";
import { type CertificateUse, expiredCertificates } from "./translate/certificates.js";
import { ReportedStatuses } from "./translate/gateway/routes/conditions.js";
import { KnownObjects } from "./translate/known-objects.js";
import {
  type Routing,
  TranslationMemory,
  endpointReports,
  newEndpoints,
  translateRouting,
  withUpstreams,
} from "./translate.js";
import { withoutFaulty } from "./translate/faulty-objects.js";

export interface Compilation {
  /** nginx.conf, policy.json, certificates, credentials; sorted by path. */
  readonly files: readonly RenderedFile[];
  readonly statuses: readonly ObjectStatus[];
  /** Objects that a controller makes for those of users, such as a Service for each Gateway. */
  readonly objects: readonly OwnedObject[];
  readonly diagnostics: readonly Diagnostic[];
  /** The model in between, for `--emit ir`. */
  readonly config: DataPlaneConfig;
  readonly certificates: readonly CertificateUse[];
}

/** `now`: milliseconds since 1970, for diagnostics of certificates alone; 0: none has expired. */
export function compile(resources: Resources, options: CompileOptions, now = 0): Compilation {
  return new Compiler().compile(resources, options, now);
}

/** What routing was translated from, and what it gave. */
interface Translated {
  readonly refused: readonly ResourceRef[];
  readonly options: CompileOptions;
  readonly sink: DiagnosticSink;
  readonly routing: Routing;
}

/**
 * Returns the same as `compile`, incrementally. If only EndpointSlices or statuses have changed, it reuses routing, which can't read them
 * (RoutingResources), and rebuilds only upstreams. Otherwise it translates what has changed, and what read that (TranslationMemory).
 */
export class Compiler {
  /** Of the objects in `#objects`; undefined: they were not translated. */
  #last: Translated | undefined;
  readonly #objects = new KnownObjects();
  readonly #memory = new TranslationMemory();
  readonly #endpoints = newEndpoints();
  #renderer = new Renderer();
  #reported = new ReportedStatuses();
  readonly #diagnostics = new KnownDiagnostics();

  compile(resources: Resources, options: CompileOptions, now = 0): Compilation {
    return this.translate(resources, options)(now);
  }

  /** The first half of `compile`, for who has other work in between. Returns the other half, to be called once. */
  translate(resources: Resources, options: CompileOptions): (now: number) => Compilation {
    const hasChanged = this.#objects.changed(resources).length > 0;
    const last = this.#last;
    this.#last = undefined;
    const current =
      !hasChanged && last !== undefined && isSame(last, resources, options)
        ? last
        : translated(resources, options, this.#memory);
    return (now) => this.#renderedOrFaultless(current, resources, options, now);
  }

  #renderedOrFaultless(
    current: Translated,
    resources: Resources,
    options: CompileOptions,
    now: number,
  ): Compilation {
    try {
      return this.#rendered(current, resources, options, now);
    } catch (error: unknown) {
      // It may have stopped in the middle.
      this.#renderer = new Renderer();
      this.#reported = new ReportedStatuses();
      if (error instanceof PolicyTooLarge) throw error;
      // What was translated can't be rendered: the object whose part of it throws is found as where translating throws.
      const whole = translated(resources, options, this.#memory, rendersAll);
      return this.#rendered(whole, resources, options, now);
    }
  }

  #rendered(
    current: Translated,
    resources: Resources,
    options: CompileOptions,
    now: number,
  ): Compilation {
    this.#last = current;
    const { config, statuses, objects } = withUpstreams(
      current.routing,
      resources,
      this.#endpoints,
      options,
    );
    const certificates = current.routing.certificateUses;
    const reports = [
      ...endpointReports(this.#endpoints),
      ...expiredCertificates(certificates, now),
    ];
    const files = this.#renderer.render(config, current.options);
    return {
      files,
      statuses: this.#reported.of(statuses, resources, current.options),
      objects,
      diagnostics: this.#diagnostics.of(withAll(current.sink, reports), resources.locate),
      config,
      certificates,
    };
  }
}

/** Those of routing are kept in its sink, those of endpoints and of the time are added each time. */
function withAll(sink: DiagnosticSink, reports: readonly Report[]): DiagnosticSink {
  if (reports.length === 0) return sink;
  const all = new DiagnosticSink();
  all.addAll([...sink.reports, ...reports]);
  return all;
}

/** Throws where rendering does, or choosing statuses. */
function rendersAll(
  { config, statuses }: Routing,
  part: RoutingResources,
  options: CompileOptions,
): void {
  new Renderer().render({ ...config, upstreams: [], streamUpstreams: [] }, options);
  new ReportedStatuses().of(statuses, part, options);
}

/** `proves`: throws what is not to be served as it is translated. */
function translated(
  resources: Resources,
  options: CompileOptions,
  memory: TranslationMemory,
  proves: typeof rendersAll = () => undefined,
): Translated {
  const given = { refused: resources.refused, options };
  const { refusedObjects: refused } = options;
  return withoutFaulty(resources, { close: closedObject, refused }, (part, faults) => {
    const sink = new DiagnosticSink();
    sink.addAll(faults);
    const routing = translateRouting(part, options, sink, memory);
    proves(routing, part, options);
    return { ...given, sink, routing };
  });
}

function isSame(last: Translated, { refused }: RoutingResources, options: CompileOptions): boolean {
  return (
    sameElements(last.refused, refused) && JSON.stringify(last.options) === JSON.stringify(options)
  );
}
