import { DEFAULT_TIMEOUTS } from "../../../../../src/model/route.js";
import {
  readBackend,
  readProtocol,
} from "../../../../../src/translate/ingress/annotations/backend.js";
import { readerOf } from "../../../../support/annotation-reader.js";
import { nginx, own } from "../../../../support/translated.js";

it.each([
  ["HTTP", "http"],
  ["https", "https"],
  ["GRPC", "grpc"],
  ["GRPCS", "grpcs"],
  ["AUTO_HTTP", undefined],
])("backend-protocol %s is %s", (text, protocol) => {
  expect(readProtocol(readerOf(nginx({ "backend-protocol": text })))).toBe(protocol);
});

it.each([
  [{}, {}],
  [{ "upstream-vhost": "b.example" }, { host: "b.example" }],
  [
    { "proxy-read-timeout": "600", "proxy-send-timeout": "10s" },
    { timeouts: { connect: 5000, send: 10_000, read: 600_000 } },
  ],
  [
    { "proxy-connect-timeout": "500ms" },
    { timeouts: { connect: 500, send: 120_000, read: 120_000 } },
  ],
  [{ "proxy-buffer-size": "16k" }, {}],
  [{ "proxy-buffer-size": "64k" }, { largeHeaders: true }],
  [{ "proxy-buffering": "on" }, {}],
  [{ "proxy-buffering": "off" }, { streamed: true }],
])("%j", (annotations, expected) => {
  expect(readBackend(readerOf(nginx(annotations)), DEFAULT_TIMEOUTS)).toEqual(expected);
});

it("timeouts replace inherited ones as a whole", () => {
  const inherited = { connect: 1, send: 2, read: 3 };
  expect(readBackend(readerOf({}), inherited)).toEqual({ timeouts: inherited });
  const reader = readerOf(nginx({ "proxy-read-timeout": "9" }));
  expect(readBackend(reader, inherited).timeouts).toEqual({ ...DEFAULT_TIMEOUTS, read: 9000 });
});

it("headers are changed by annotations of the own domain", () => {
  const text = JSON.stringify({ headers: { "X-A": "1" } });
  const changes = { set: [["X-A", "1"]] };
  const reader = readerOf(own({ "rewrite-request": text, "rewrite-response": text }));
  expect(readBackend(reader, DEFAULT_TIMEOUTS)).toEqual({
    requestHeaders: changes,
    responseHeaders: changes,
  });
  expect(readBackend(readerOf(nginx({ "rewrite-request": text })), DEFAULT_TIMEOUTS)).toEqual({});
});
