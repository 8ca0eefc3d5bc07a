import type { CompileOptions } from "../../../../src/model/options.js";
import { gateway } from "../../../support/gateway-route-objects.js";
import { translated } from "../../../support/translated.js";

const HTTP = { name: "l", port: 80, protocol: "HTTP" };

interface Status {
  readonly conditions: readonly { type: string; status: string; reason: string }[];
}

/** `<type> <reason>` of the conditions of the Gateway's only listener that do not hold. */
function failing(listener: object, options: Partial<CompileOptions> = {}): readonly string[] {
  const { statuses } = translated(gateway([{ ...HTTP, ...listener }]), options);
  const status = statuses.find(({ kind }) => kind === "Gateway")?.status["listeners"];
  return (status as readonly Status[]).flatMap(({ conditions }) =>
    conditions.flatMap(({ type, status: value, reason }) =>
      value === "False" ? [`${type} ${reason}`] : [],
    ),
  );
}

test("a valid listener is served", () => {
  expect(failing({})).toEqual([]);
});

test.each([
  [
    "an unknown protocol",
    { protocol: "SMTP" },
    ["Accepted UnsupportedProtocol", "Programmed Invalid"],
  ],
  [
    "a hostname that is an address",
    { hostname: "10.0.0.1" },
    ["Accepted UnsupportedValue", "Programmed Invalid"],
  ],
  [
    "no certificate",
    { protocol: "HTTPS", port: 443 },
    ["Programmed Invalid", "ResolvedRefs InvalidCertificateRef"],
  ],
  [
    "kinds of routes that it can't take",
    { allowedRoutes: { kinds: [{ kind: "TCPRoute" }] } },
    ["Programmed Invalid", "ResolvedRefs InvalidRouteKinds"],
  ],
])("a listener with %s is not served", (_what, listener, expected) => {
  expect(failing(listener)).toEqual(expected);
});

test("a listener without its port says so in both conditions", () => {
  expect(failing({}, { unavailablePorts: ["80"] })).toEqual([
    "Accepted PortUnavailable",
    "Programmed PortUnavailable",
  ]);
});

test("one unknown kind of routes does not keep a listener from serving the others", () => {
  const kinds = [{ kind: "TCPRoute" }, { kind: "HTTPRoute" }];
  expect(failing({ allowedRoutes: { kinds } })).toEqual(["ResolvedRefs InvalidRouteKinds"]);
});
