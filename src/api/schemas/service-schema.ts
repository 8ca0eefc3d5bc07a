/** core/v1 Service. */
import { objectSchema } from "./object-schema.js";
import { boolean, integer, intOrString, list, map, object, oneOf, port, string } from "./schema.js";

export const PROTOCOLS = ["TCP", "UDP", "SCTP"] as const;

const SERVICE_PORT = object(
  {
    name: string(),
    protocol: oneOf(PROTOCOLS),
    port: port(),
    targetPort: intOrString(),
    nodePort: integer({ minimum: 0, maximum: 65535 }),
    appProtocol: string(),
  },
  { required: ["port"] },
);

export const SERVICE_SCHEMA = objectSchema({
  spec: object({
    type: oneOf(["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]),
    ports: list(SERVICE_PORT),
    selector: map(string()),
    clusterIP: string(),
    clusterIPs: list(string()),
    externalName: string(),
    externalIPs: list(string()),
    externalTrafficPolicy: oneOf(["Cluster", "Local"]),
    internalTrafficPolicy: oneOf(["Cluster", "Local"]),
    healthCheckNodePort: integer(),
    allocateLoadBalancerNodePorts: boolean(),
    ipFamilies: list(oneOf(["IPv4", "IPv6"])),
    ipFamilyPolicy: oneOf(["SingleStack", "PreferDualStack", "RequireDualStack"]),
    loadBalancerClass: string(),
    loadBalancerIP: string(),
    loadBalancerSourceRanges: list(string()),
    publishNotReadyAddresses: boolean(),
    sessionAffinity: oneOf(["None", "ClientIP"]),
    sessionAffinityConfig: object({
      clientIP: object({ timeoutSeconds: integer({ minimum: 1, maximum: 86400 }) }),
    }),
    trafficDistribution: string(),
  }),
});

/** What of the status is read: addresses of a load balancer. */
export const SERVICE_STATUS = object({
  loadBalancer: object({ ingress: list(object({ ip: string(), hostname: string() })) }),
});
