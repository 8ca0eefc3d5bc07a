/** gateway.networking.k8s.io GatewayClass, Gateway and ListenerSet (Gateway API v1.7 CRDs, experimental channel). */
import {
  ANNOTATION_VALUE,
  choice,
  CONTROLLER_NAME,
  GROUP,
  KIND,
  LABEL_VALUE,
  NAMESPACE,
  OBJECT_NAME,
} from "./gateway-names.js";
import {
  NAMESPACED_REFERENCE,
  OBJECT_REFERENCE,
  PARENT_GATEWAY,
  SECRET_REFERENCE,
} from "./gateway-references.js";
import { fromNamespaces, LISTENERS } from "./listener-schema.js";
import { objectSchema } from "./object-schema.js";
import { list, map, object, port, string } from "./schema.js";

export const GATEWAY_CLASS_SCHEMA = objectSchema(
  {
    spec: object(
      {
        controllerName: CONTROLLER_NAME,
        description: string({ maxLength: 64 }),
        parametersRef: object(
          { group: GROUP, kind: KIND, name: OBJECT_NAME, namespace: NAMESPACE },
          { required: ["group", "kind", "name"] },
        ),
      },
      { required: ["controllerName"] },
    ),
  },
  ["spec"],
);

const FRONTEND_TLS = object({
  validation: object(
    {
      caCertificateRefs: list(NAMESPACED_REFERENCE, { minItems: 1, maxItems: 16 }),
      mode: choice("AllowValidOnly"),
    },
    { required: ["caCertificateRefs"] },
  ),
});

const GATEWAY_TLS = object({
  frontend: object(
    {
      default: FRONTEND_TLS,
      perPort: list(object({ port: port(), tls: FRONTEND_TLS }, { required: ["port", "tls"] }), {
        maxItems: 64,
      }),
    },
    { required: ["default"] },
  ),
  backend: object({ clientCertificateRef: SECRET_REFERENCE }),
});

const ADDRESS = object({
  type: string({ minLength: 1, maxLength: 253, default: "IPAddress" }),
  value: string({ maxLength: 253 }),
  routability: choice(),
});

export const GATEWAY_SCHEMA = objectSchema(
  {
    spec: object(
      {
        gatewayClassName: OBJECT_NAME,
        listeners: LISTENERS,
        addresses: list(ADDRESS, { maxItems: 16 }),
        infrastructure: object({
          labels: map(LABEL_VALUE, { maxProperties: 8 }),
          annotations: map(ANNOTATION_VALUE, { maxProperties: 16 }),
          parametersRef: OBJECT_REFERENCE,
        }),
        allowedListeners: object({ namespaces: fromNamespaces("None") }),
        tls: GATEWAY_TLS,
        defaultScope: choice(),
      },
      { required: ["gatewayClassName", "listeners"] },
    ),
  },
  ["spec"],
);

export const LISTENER_SET_SCHEMA = objectSchema(
  {
    spec: object(
      { parentRef: PARENT_GATEWAY, listeners: LISTENERS },
      { required: ["parentRef", "listeners"] },
    ),
  },
  ["spec"],
);
