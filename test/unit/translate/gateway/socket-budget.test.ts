import { route } from "../../../support/streams.js";
import { refusedEndings } from "../../../../src/translate/gateway/socket-budget.js";
import { translated } from "../../../support/translated.js";
import { gateway } from "../../../support/gateway-route-objects.js";

function listener(port: number, protocol: string) {
  return { name: `l${String(port)}`, port, protocol };
}

const OPTIONS = { httpPort: 0, httpsPort: 0 };

test("a namespace that wants more sockets than there are loses its last listeners", () => {
  const { config, messages } = translated(gateway([listener(81, "TCP"), listener(82, "TCP")]), {
    ...OPTIONS,
    listenerSockets: 2,
  });
  expect(config.streams.map(({ port }) => port)).toEqual([81]);
  expect(messages("LISTENER_OVER_BUDGET")).toEqual([
    "namespace default has 2 of the 2 sockets that are shared, which are used up; this one needs 2",
  ]);
});

test("listeners of one port share its sockets", () => {
  const hosts = ["a.example", "b.example"].map((hostname, i) => ({
    ...{ name: String(i), port: 80, protocol: "HTTP", hostname },
  }));
  const { reports } = translated(gateway(hosts), { ...OPTIONS, listenerSockets: 2 });
  expect(reports).toEqual([]);
});

test("routes whose TLS ends here get the remaining sockets, if they need any", () => {
  const [first, second, free] = [route("first"), route("second"), route("free")];
  const wanted = new Map([
    [first, 2],
    [second, 2],
    [free, 0],
  ]);
  expect([...refusedEndings(wanted, 3).keys()]).toEqual([second]);
  expect([...refusedEndings(wanted, 4).keys()]).toEqual([]);
});
