import { gateway, object, WEB } from "../../../../support/gateway-route-objects.js";
import { translated } from "../../../../support/translated.js";

const TCP = [{ name: "tcp", port: 5432, protocol: "TCP" }];

/** The pools of a TCPRoute with the backendRefs, the codes of reports, and whether the references are resolved. */
function pools(backendRefs: readonly object[]) {
  const route = object("TCPRoute", "db", {
    parentRefs: [{ name: "gw" }],
    rules: [{ backendRefs }],
  });
  const { config, reports } = translated(gateway(TCP) + route);
  return [config.pools, reports.map((report) => report.split(" ")[0])];
}

test("backends share connections by weight", () => {
  const [used] = pools([{ ...WEB[0], weight: 2 }, { ...WEB[0] }]);
  const upstream = "default/web/80";
  expect(used).toEqual([
    {
      id: "tcproute/default/db",
      transport: "tcp",
      backends: [
        { weight: 2, upstream },
        { weight: 1, upstream },
      ],
    },
  ]);
});

test("a backend that can't be used keeps its share, which is closed", () => {
  const [used, reports] = pools([...WEB, { name: "none", port: 80 }]);
  expect(used).toMatchObject([{ backends: [{ upstream: "default/web/80" }, { weight: 1 }] }]);
  expect(reports).toEqual(["ROUTE_BACKEND_NOT_FOUND"]);
});

test("without any weight there is no pool, and connections are closed", () => {
  const [used, reports] = pools([{ ...WEB[0], weight: 0 }]);
  expect([used, reports]).toEqual([[], ["ROUTE_WITHOUT_BACKEND"]]);
});
