import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import type { StreamServer } from "../../../src/model/stream.js";
import { OwnAddresses } from "../../../src/translate/own-addresses.js";

const machineAddresses = ["10.0.0.9", "fd00::9"];
const HEALTH = "the health address of albc";

const healthAt = (healthAddress: string): OwnAddresses =>
  new OwnAddresses({ ...DEFAULT_OPTIONS, machineAddresses, healthAddress });

test.each([
  ["127.0.0.1:10254", "127.0.0.1"],
  ["0.0.0.0:10254", "127.0.0.9"],
  ["0.0.0.0:10254", "0.0.0.1"],
  ["0.0.0.0:10254", "10.0.0.9"],
  ["[::]:10254", "::1"],
  ["[::]:10254", "::ffff:10.0.0.9"],
  ["[::]:10254", "fd00:0::9"],
  ["10.0.0.1:10254", "10.0.0.1"],
  ["[fd00::1]:10254", "fd00:0::1"],
])("the health address %s is reached at %s", (health, address) => {
  expect(healthAt(health).at([address, 10254])).toBe(HEALTH);
  expect(healthAt(health).at([address, 10254], "UDP")).toBeUndefined();
  expect(healthAt("").at([address, 10254])).toBeUndefined();
});

test.each([
  ["127.0.0.1:10255", "127.0.0.1"],
  ["127.0.0.1:10254", "10.0.0.1"],
  ["127.0.0.1:10254", "10.0.0.9"],
  ["0.0.0.0:10254", "10.0.0.1"],
])("the health address %s is not reached at %s", (health, address) => {
  expect(healthAt(health).at([address, 10254])).toBeUndefined();
});

test("reports of traces are taken by UDP, and only where spans are wanted", () => {
  const { dataPlane } = DEFAULT_OPTIONS;
  const trace = { ...dataPlane.trace, mode: "spans" as const };
  const spans = new OwnAddresses({ ...DEFAULT_OPTIONS, dataPlane: { ...dataPlane, trace } });
  expect(spans.at(["127.0.0.1", 10255], "UDP")).toBe("the traceAddress of albc");
  expect(spans.at(["127.0.0.1", 10255], "TCP")).toBeUndefined();
  expect(new OwnAddresses(DEFAULT_OPTIONS).at(["127.0.0.1", 10255], "UDP")).toBeUndefined();
});

const stream = (more: Partial<StreamServer>): StreamServer =>
  ({ id: "p", port: 53, addresses: [], protocol: "tcp", ...more }) as StreamServer;

test.each([
  [stream({}), "127.0.0.1", "TCP", true],
  [stream({}), "10.0.0.9", "TCP", true],
  [stream({}), "10.0.0.1", "TCP", false],
  [stream({}), "127.0.0.1", "UDP", false],
  [stream({ protocol: "udp" }), "fd00::9", "UDP", true],
  [stream({ protocol: "udp" }), "127.0.0.1", "TCP", false],
  [stream({ protocol: "tls", names: [], classes: [] }), "::1", "TCP", true],
  [stream({ addresses: ["10.0.0.5"] }), "10.0.0.5", "TCP", true],
  [stream({ addresses: ["10.0.0.5"] }), "10.0.0.9", "TCP", false],
] as const)("a stream %j is reached at %s by %s: %s", (server, address, protocol, isReached) => {
  const own = new OwnAddresses({ ...DEFAULT_OPTIONS, machineAddresses }, [server]);
  expect(own.at([address, 53], protocol) !== undefined).toBe(isReached);
  expect(own.at([address, 54], protocol)).toBeUndefined();
});

test("the text differs exactly where what is refused differs", () => {
  const texts = [
    healthAt(""),
    healthAt("10.0.0.1:1"),
    healthAt("10.0.0.1:2"),
    healthAt("10.0.0.2:1"),
  ];
  expect(new Set(texts.map(({ text }) => text)).size).toBe(4);
  expect(healthAt("10.0.0.1:1").text).toBe(healthAt("10.0.0.1:1").text);
});
