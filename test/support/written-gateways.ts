/** Gateways of our class as the translation reads them, before other steps look at them. */
import { DiagnosticSink } from "../../src/diagnostics/sink.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "../../src/model/options.js";
import type { TranslateContext } from "../../src/translate/context.js";
import { type WrittenGateway, readGateways } from "../../src/translate/gateway/written-gateways.js";
import { collecting } from "../../src/translate/parts/part.js";

interface GatewayText {
  readonly kind?: "Gateway" | "ListenerSet";
  readonly name: string;
  readonly namespace?: string;
  /** Of its creation; 2001 by default. */
  readonly year?: number;
  readonly spec: object;
}

export interface ReadGateways {
  readonly gateways: readonly WrittenGateway[];
  readonly context: TranslateContext;
}

const CLASS = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name: "alb" },
  spec: { controllerName: DEFAULT_OPTIONS.controllerName },
};

export function readWritten(
  objects: readonly GatewayText[],
  options: Partial<CompileOptions> = {},
): ReadGateways {
  const written = objects.map(({ kind = "Gateway", name, namespace = "n", year = 2001, spec }) => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind,
    metadata: { name, namespace, creationTimestamp: `${String(year)}-01-01T00:00:00Z` },
    spec: kind === "Gateway" ? { gatewayClassName: "alb", ...spec } : spec,
  }));
  const yaml = [CLASS, ...written].map((each) => JSON.stringify(each)).join("\n---\n");
  const { resources } = resourcesFromYaml(yaml);
  const diagnostics = new DiagnosticSink();
  const context = { resources, options: { ...DEFAULT_OPTIONS, ...options }, diagnostics };
  return { gateways: readGateways(collecting(context)), context };
}
