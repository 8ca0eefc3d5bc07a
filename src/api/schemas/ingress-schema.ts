/** networking.k8s.io/v1 Ingress and IngressClass. */
import { objectSchema } from "./object-schema.js";
import { list, object, oneOf, port, string } from "./schema.js";

const BACKEND = object({
  service: object(
    { name: string(), port: object({ name: string(), number: port() }) },
    { required: ["name"] },
  ),
  resource: object(
    { apiGroup: string(), kind: string(), name: string() },
    { required: ["kind", "name"] },
  ),
});

const PATH = object(
  {
    path: string(),
    pathType: oneOf(["Exact", "Prefix", "ImplementationSpecific"]),
    backend: BACKEND,
  },
  { required: ["pathType", "backend"] },
);

export const INGRESS_SCHEMA = objectSchema({
  spec: object({
    ingressClassName: string(),
    defaultBackend: BACKEND,
    tls: list(object({ hosts: list(string()), secretName: string() })),
    rules: list(
      object({
        host: string(),
        http: object({ paths: list(PATH, { minItems: 1 }) }, { required: ["paths"] }),
      }),
    ),
  }),
});

export const INGRESS_CLASS_SCHEMA = objectSchema({
  spec: object({
    controller: string({ maxLength: 250 }),
    parameters: object(
      {
        apiGroup: string(),
        kind: string(),
        name: string(),
        namespace: string(),
        scope: oneOf(["Cluster", "Namespace"]),
      },
      { required: ["kind", "name"] },
    ),
  }),
});
