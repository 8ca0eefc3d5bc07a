import type { Manifest } from "./cluster.js";

/** A Service and pods of Gateway API's echo server, which say their names in JSON. */
export function echoServer(namespace: string, name: string, replicas = 1): readonly Manifest[] {
  const labels = { app: name };
  const fieldRef = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } });
  const container = {
    name,
    image: "echo-basic:test",
    env: [
      { name: "POD_NAME", ...fieldRef("metadata.name") },
      { name: "NAMESPACE", ...fieldRef("metadata.namespace") },
    ],
  };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace },
      spec: { selector: labels, ports: [{ port: 80, targetPort: 3000 }] },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    },
  ];
}
