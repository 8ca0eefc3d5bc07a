import { backendProtocol } from "../../../../src/translate/gateway/destination.js";

/** appProtocol, then what an HTTPRoute speaks in clear text and with TLS, then a GRPCRoute. */
test.each([
  [undefined, "http", "https", "grpc", "grpcs"],
  ["", "http", "https", "grpc", "grpcs"],
  ["http", "http", "https", "grpc", "grpcs"],
  ["HTTPS", "https", "https", "grpcs", "grpcs"],
  ["kubernetes.io/h2c", "h2c", "https", "grpc", "grpcs"],
  ["kubernetes.io/ws", "http", "https", undefined, undefined],
  ["kubernetes.io/wss", "https", "https", undefined, undefined],
  ["grpc", "grpc", "grpcs", "grpc", "grpcs"],
  ["grpcs", "grpcs", "grpcs", "grpcs", "grpcs"],
  ["tcp", undefined, undefined, undefined, undefined],
  ["kubernetes.io/http", undefined, undefined, undefined, undefined],
  ["example.com/http", undefined, undefined, undefined, undefined],
])("%p", (appProtocol, ...spoken) => {
  expect([
    backendProtocol(appProtocol, false, false),
    backendProtocol(appProtocol, false, true),
    backendProtocol(appProtocol, true, false),
    backendProtocol(appProtocol, true, true),
  ]).toEqual(spoken);
});
