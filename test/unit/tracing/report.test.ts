import { droppedDatagrams } from "../../../src/tracing/dropped.js";
import { parseReport } from "../../../src/tracing/report.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const FIELDS = {
  context: `00-${TRACE}-00f067aa0ba902b7-01`,
  end: "1000.500",
  duration: "0.300",
  auth: "1000.210 0.040 200 auth.example:80",
  addr: "10.0.0.1:80, 10.0.0.2:80 : 10.0.0.3:80",
  upstream_status: "502, - : 200",
  upstream_time: "0.010, 0.020 : 0.200",
};

const datagram = (fields: object) =>
  Buffer.from(`<190>Nov 26 03:00:00 albc: ${JSON.stringify(fields)}`);

test("a report has the times of the request, of auth and of each try", () => {
  expect(parseReport(datagram({ ...FIELDS, parent: "00f067aa0ba902b8" }))).toMatchObject({
    traceId: TRACE,
    spanId: "00f067aa0ba902b7",
    parentId: "00f067aa0ba902b8",
    start: 1_000_200,
    end: 1_000_500,
    auth: { start: 1_000_210, end: 1_000_250, status: 200, address: "auth.example:80" },
    tries: [
      { address: "10.0.0.1:80", status: 502, duration: 10 },
      { address: "10.0.0.2:80", status: 0, duration: 20 },
      { address: "10.0.0.3:80", status: 200, duration: 200 },
    ],
  });
});

test("a request without parent, auth and endpoint has none", () => {
  const { auth, addr, upstream_status, upstream_time, ...few } = FIELDS;
  expect([auth, addr, upstream_status, upstream_time]).not.toContain("");
  const report = parseReport(datagram({ ...few, parent: "", auth: "", addr: "" }));
  expect(report).toMatchObject({ tries: [] });
  expect([report?.parentId, report?.auth]).toEqual([undefined, undefined]);
});

test.each<[string, Uint8Array]>([
  ["text", Buffer.from("nonsense")],
  ["another JSON value", Buffer.from("[]")],
  ["bytes", Buffer.from([0xff, 0xfe, 0x7b])],
  [
    "a context that is not sampled",
    datagram({ ...FIELDS, context: `00-${TRACE}-00f067aa0ba902b7-00` }),
  ],
  ["a time that is none", datagram({ ...FIELDS, end: "soon" })],
  ["a context of another type", datagram({ ...FIELDS, context: 1 })],
])("%s is no report", (_, bytes) => {
  expect(parseReport(bytes)).toBeUndefined();
});

test("the kernel's count of lost datagrams is that of the port", () => {
  const line = (port: string, drops: number) =>
    `  12: 0100007F:${port} 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4242 2 0000000000000000 ${drops}\n`;
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n`;
  expect(droppedDatagrams(table + line("280F", 7) + line("2810", 9), 10_255)).toBe(7);
  expect(droppedDatagrams("", 10_255)).toBe(0);
});
