/** Stand-ins for Gateways that routes name and manifests do not contain. */
import type { ParentReference } from "../api/gateway.js";
import { GATEWAY_GROUP } from "../api/wire.js";
import { getOrInsert } from "../support/collections.js";
import type { Resources } from "./resources.js";

/** Well above the ports of Gateways that exist. */
const FIRST_PORT = 60_001;
const CLASS = "albc-assumed";
const API_VERSION = `${GATEWAY_GROUP}/v1`;

type Section = Pick<ParentReference, "sectionName" | "port">;

/**
 * The Gateways that no side contains, and their class. Each has an HTTP listener for every host for each section that routes name, on a
 * port of its own.
 */
export function assumedGateways(
  sides: readonly Resources[],
  controllerName: string,
): readonly object[] {
  const sections = missingSections(sides);
  if (sections.size === 0) return [];
  let port = FIRST_PORT;
  const gateways = Array.from(sections.values(), ({ namespace, name, byKey }) => {
    const listeners = Array.from(byKey.values(), (section) => {
      const own = section.port ?? port++;
      return {
        ...{ name: section.sectionName ?? `port-${String(own)}`, port: own, protocol: "HTTP" },
        allowedRoutes: { namespaces: { from: "All" } },
      };
    });
    return {
      ...{ apiVersion: API_VERSION, kind: "Gateway", metadata: { namespace, name } },
      spec: { gatewayClassName: CLASS, listeners },
    };
  });
  const metadata = { namespace: "", name: CLASS };
  return [
    { apiVersion: API_VERSION, kind: "GatewayClass", metadata, spec: { controllerName } },
    ...gateways,
  ];
}

interface MissingGateway extends Record<"namespace" | "name", string> {
  readonly byKey: Map<string, Section>;
}

function missingSections(sides: readonly Resources[]): ReadonlyMap<string, MissingGateway> {
  const missing = new Map<string, MissingGateway>();
  const routes = sides.flatMap((side) => [...side.list("HTTPRoute"), ...side.list("GRPCRoute")]);
  for (const { metadata, spec } of routes) {
    for (const { group, kind, namespace: other, name, ...section } of spec.parentRefs ?? []) {
      const isGateway =
        (group ?? GATEWAY_GROUP) === GATEWAY_GROUP && (kind ?? "Gateway") === "Gateway";
      const namespace = other ?? metadata.namespace;
      if (!isGateway || sides.some((side) => isThere(side, namespace, name))) continue;
      const { byKey } = getOrInsert(missing, `${namespace}/${name}`, () => {
        return { namespace, name, byKey: new Map<string, Section>() };
      });
      byKey.set(`${section.sectionName ?? ""} ${String(section.port)}`, section);
    }
  }
  return missing;
}

function isThere(side: Resources, namespace: string, name: string): boolean {
  const isRefused = side.refused.some(
    (ref) => ref.kind === "Gateway" && ref.namespace === namespace && ref.name === name,
  );
  return isRefused || side.get("Gateway", namespace, name) !== undefined;
}
