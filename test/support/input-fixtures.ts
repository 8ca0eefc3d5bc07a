import { type Diagnostic, formatFieldPath } from "../../src/diagnostics/diagnostic.js";
import { resourcesFromObjects } from "../../src/input/load.js";

type Fields = Readonly<Record<string, unknown>>;

/** Each diagnostic as `CODE field: message`. */
export function lines(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map(
    ({ code, field, message }) => `${code} ${formatFieldPath(field ?? [])}: ${message}`,
  );
}

/** What is wrong with one object. */
export function check(object: Fields): readonly string[] {
  const { diagnostics } = resourcesFromObjects([object]);
  return lines(diagnostics.filter(({ code }) => code !== "OBJECT_CLOSED"));
}

export function ingress(spec: Fields, metadata: Fields = {}): Fields {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "web", ...metadata },
    spec,
  };
}

export function service(spec: Fields, metadata: Fields = {}): Fields {
  return { apiVersion: "v1", kind: "Service", metadata: { name: "web", ...metadata }, spec };
}

export function secret(fields: Fields): Fields {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "creds" }, ...fields };
}

export function rule(spec: Fields): Fields {
  return { apiVersion: "crd.alauda.io/v1", kind: "Rule", metadata: { name: "r" }, spec };
}

/** A Gateway with these listeners, one on port 80 by default. */
export function gateway(spec: Fields = {}): Fields {
  return gatewayObject("Gateway", {
    gatewayClassName: "edge",
    listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
    ...spec,
  });
}

/** An HTTPRoute with one rule. */
export function httpRule(rule: Fields): Fields {
  return gatewayObject("HTTPRoute", { rules: [rule] });
}

export function gatewayObject(kind: string, spec: Fields): Fields {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind,
    metadata: { name: "web", namespace: "shop" },
    spec,
  };
}
