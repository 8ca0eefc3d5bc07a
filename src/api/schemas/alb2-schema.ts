/** ALB2: one load balancer. */
import { EXTENSION_SCHEMAS } from "./alb-extensions.js";
import { objectSchema } from "./object-schema.js";
import { boolean, booleanOrText, integer, list, object, oneOf, string } from "./schema.js";
import type { JsonSchema } from "./schema.js";

const ingressPort = (description: string): JsonSchema =>
  integer({ minimum: 0, maximum: 65535, description });

const CONFIG = object(
  {
    ...EXTENSION_SCHEMAS,
    loadbalancerName: string({ description: "Always taken from metadata.name." }),
    networkMode: string({
      description: "`host` or `container`; without effect on the data plane.",
    }),
    replicas: integer({ description: "Number of pods; without effect on the data plane." }),
    projects: list(string(), {
      description:
        "Projects whose Ingresses are served, by the project label of their namespace; `ALL_ALL` means all.",
    }),
    vip: object(
      { enableLbSvc: boolean() },
      {
        description: "Load balancer Service in front; without effect on the data plane.",
        "x-kubernetes-preserve-unknown-fields": true,
      },
    ),
    enableIngress: booleanOrText({ description: "Serve Ingresses; true by default." }),
    ingressHTTPPort: ingressPort("HTTP port of Ingresses, 80 by default; 0 switches it off."),
    ingressHTTPSPort: ingressPort("HTTPS port of Ingresses, 443 by default; 0 switches it off."),
    ingressSSLRedirect: boolean({ description: "Redirect the whole HTTP port to HTTPS." }),
    defaultSSLCert: string({
      description: "TLS secret for names without one of their own, as `<namespace>/<name>`.",
    }),
    defaultSSLStrategy: string({
      description: "When that certificate is used: Always, Never, Request or Both.",
    }),
  },
  {
    description: "Settings. Fields that are not listed here are kept and have no effect.",
    "x-kubernetes-preserve-unknown-fields": true,
  },
);

export const ALB2_SCHEMA = objectSchema({
  spec: object(
    {
      address: string({ description: "Addresses of the instance, separated by commas." }),
      type: oneOf(["nginx"], { description: "Proxy engine." }),
      config: CONFIG,
    },
    { description: "A load balancer instance." },
  ),
});
