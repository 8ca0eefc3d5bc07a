/** discovery.k8s.io/v1 EndpointSlice. */
import { objectSchema } from "./object-schema.js";
import { PROTOCOLS } from "./service-schema.js";
import { anyObject, boolean, list, map, object, oneOf, port, string } from "./schema.js";

const ENDPOINT = object(
  {
    addresses: list(string(), { minItems: 1, maxItems: 100 }),
    conditions: object({ ready: boolean(), serving: boolean(), terminating: boolean() }),
    deprecatedTopology: map(string()),
    hints: anyObject(),
    hostname: string(),
    nodeName: string(),
    targetRef: anyObject(),
    zone: string(),
  },
  { required: ["addresses"] },
);

export const ENDPOINT_SLICE_SCHEMA = objectSchema(
  {
    addressType: oneOf(["IPv4", "IPv6", "FQDN"]),
    endpoints: list(ENDPOINT, { maxItems: 1000 }),
    ports: list(
      object({
        name: string(),
        port: port(),
        protocol: oneOf(PROTOCOLS),
        appProtocol: string(),
      }),
      { maxItems: 20000 },
    ),
  },
  ["addressType"],
);
