/** Manifests with mistakes, and what `validate` says about them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { resolveSettings } from "../../src/cli/settings.js";
import { runValidate } from "../../src/cli/validate.js";

/** The messages of these files, each as `message → hint`, and the lines about what is not read. */
export async function messages(
  folder: string,
  files: Readonly<Record<string, string>>,
  ignore: readonly string[] = ["OBJECT_CLOSED"],
): Promise<readonly string[]> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  let written = "";
  await runValidate(
    {
      ...{
        command: "validate",
        format: "text",
        failOn: "error",
        requireObjects: false,
        assumeReferences: false,
      },
      ...{ ignore, baseline: undefined, writeBaseline: undefined },
      ...{ paths: [folder], kubernetes: false, config: undefined, flags: {} },
    },
    resolveSettings({ flags: {}, variables: {} }),
    {
      write: (text) => {
        written += text;
      },
      ...{ writeError: () => undefined, progress: () => undefined, colours: false, variables: {} },
      readInput: () => Promise.resolve(""),
    },
  );
  const found: string[] = [];
  for (const line of written.split("\n")) {
    const [, message] = /^\S+ (?:error|warning|info) \w+: (.*)$/.exec(line) ?? [];
    const hint = /^ {2}hint: (.*)$/.exec(line)?.[1];
    if (message !== undefined) found.push(message);
    else if (hint !== undefined) found.push(`${found.pop() ?? ""} → ${hint}`);
    else if (line.startsWith("not read")) found.push(line);
  }
  return found;
}

export const gateway = (listener: string): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: gw }
spec: { gatewayClassName: albc, listeners: [{ name: a, ${listener} }] }
`;

export const route = (spec: string): string =>
  `${gateway("port: 80, protocol: HTTP")}---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: r }
spec:
  parentRefs: [{ name: gw }]
${spec.replace(/^/gm, "  ")}
`;

export const service = (namespace = "default"): string => `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: ${namespace} }
spec: { ports: [{ port: 80 }] }
---`;

export const ingress = (
  annotations: string,
  { host = "a.example", services = service() } = {},
): string =>
  `${services}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: i, annotations: { ${annotations} } }
spec:
  rules:
    - host: ${JSON.stringify(host)}
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`;

export const rule = (term: string): string => `
apiVersion: crd.alauda.io/v2
kind: ALB2
metadata: { name: alb }
spec: { type: nginx, config: { projects: [ALL_ALL] } }
---
apiVersion: crd.alauda.io/v1
kind: Frontend
metadata: { name: f, labels: { alb2.cpaas.io/name: alb } }
spec: { port: 81, protocol: http }
---
apiVersion: crd.alauda.io/v1
kind: Rule
metadata: { name: ru, labels: { alb2.cpaas.io/name: alb, alb2.cpaas.io/frontend: f } }
spec: { dslx: [${term}] }
`;

export const secret = (more: string): string => `
apiVersion: v1
kind: Secret
metadata: { name: s }
${more}
`;
