import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { clientView, policyMemory, variablesView } from "../../../../src/render/nginx/http-view.js";

const OPTIONS = DEFAULT_OPTIONS.dataPlane;
const MIB = 1024 * 1024;

test("the policy's memory is at least 64 MiB and four times the policy", () => {
  expect([0, 16 * MIB, 16 * MIB + 1, 33 * MIB].map((size) => policyMemory(size) / MIB)).toEqual([
    64, 64, 128, 256,
  ]);
});

test("every peer is trusted with its address only if it speaks the PROXY protocol", () => {
  const trusted = (options: object) =>
    (clientView({ ...OPTIONS, ...options }) as { trusted: unknown[] }).trusted.map(String);
  expect(trusted({})).toEqual([]);
  expect(trusted({ proxyProtocol: true })).toEqual(["0.0.0.0/0", "::/0"]);
  expect(trusted({ proxyProtocol: true, trustedProxies: ["10.0.0.0/8"] })).toEqual(["10.0.0.0/8"]);
});

test.each([
  [false, {}, "$server_port"],
  [true, {}, "$albc_port"],
  [true, { trustedProxies: ["10.0.0.0/8"], proxyProtocol: true }, "$proxy_protocol_server_port"],
])("the port of servers behind a stream (%p) with %p is %s", (behind, options, port) => {
  const view = variablesView({ ...OPTIONS, ...options }, behind) as { port: unknown };
  expect(String(view.port)).toBe(port);
});
