/** The pod of deploy/base, which deploy/chart renders by default. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadAll } from "js-yaml";

const BASE = fileURLToPath(new URL("../../deploy/base/albc.yaml", import.meta.url));

export interface Security {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly fsGroup?: number;
  readonly sysctls?: readonly { readonly name: string; readonly value: string }[];
}

interface Exec {
  readonly command: readonly string[];
}

export interface Probe {
  readonly exec?: Exec;
  readonly httpGet?: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

export interface ContainerSpec {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly exec?: Exec } };
  readonly securityContext: Security;
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
}

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly securityContext: Security;
  readonly containers: readonly ContainerSpec[];
  readonly volumes: readonly {
    readonly name: string;
    readonly configMap?: { readonly name: string };
  }[];
}

function objectOf(kind: string): unknown {
  const objects = loadAll(readFileSync(BASE, "utf8")) as readonly { readonly kind: string }[];
  const found = objects.find((object) => object.kind === kind);
  if (found === undefined) throw new Error(`${BASE} has no ${kind}`);
  return found;
}

export function deployedPod(): PodSpec {
  const { spec } = objectOf("Deployment") as {
    readonly spec: { readonly template: { readonly spec: PodSpec } };
  };
  return spec.template.spec;
}

/** What albc.yaml says. */
export function deployedOptions(): string {
  return (
    (objectOf("ConfigMap") as { readonly data: Readonly<Record<string, string>> }).data[
      "albc.yaml"
    ] ?? ""
  );
}

export function containerOf(pod: PodSpec, name: string): ContainerSpec {
  const found = pod.containers.find((container) => container.name === name);
  if (found === undefined) throw new Error(`the pod has no container ${name}`);
  return found;
}
