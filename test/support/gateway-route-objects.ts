/** Gateways and routes as YAML: what tests of routes begin with. */
import { service } from "./translated.js";

/** A GatewayClass of ours, the Gateway `gw` with the listeners, and the Service `web`. */
export function gateway(
  listeners: unknown = [{ name: "http", port: 80, protocol: "HTTP" }],
): string {
  return [
    service("web"),
    object("GatewayClass", "albc", { controllerName: "alb.cpaas.io/gateway-controller" }, ""),
    object("Gateway", "gw", { gatewayClassName: "albc", listeners }),
  ].join("");
}

export const WEB = [{ name: "web", port: 80 }];

/** An HTTPRoute of the Gateway `gw` with the rules. */
export function httpRoute(name: string, rules: unknown, more: object = {}): string {
  return object("HTTPRoute", name, { parentRefs: [{ name: "gw" }], rules, ...more });
}

export function grpcRoute(name: string, rules: unknown, more: object = {}): string {
  return object("GRPCRoute", name, { parentRefs: [{ name: "gw" }], rules, ...more });
}

export function object(kind: string, name: string, spec: unknown, namespace = "default"): string {
  const metadata = { name, ...(namespace !== "" && { namespace }) };
  const apiVersion = "gateway.networking.k8s.io/v1";
  return `\n---\n${JSON.stringify({ apiVersion, kind, metadata, spec })}\n`;
}
