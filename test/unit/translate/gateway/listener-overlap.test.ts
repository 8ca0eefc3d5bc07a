import type { HostPattern } from "../../../../src/model/values.js";
import { listenerOverlaps } from "../../../../src/translate/gateway/listener-overlap.js";
import { readWritten } from "../../../support/written-gateways.js";

/** Reasons by listener. `certificates`: the name in each listener's certificate. */
function overlaps(
  hostnames: Readonly<Record<string, string>>,
  certificates: Readonly<Record<string, HostPattern>> = {},
  protocols: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const listeners = Object.entries(hostnames).map(([name, hostname]) => {
    const protocol = protocols[name] ?? "HTTPS";
    const tls = protocol === "TLS" && { tls: { mode: "Passthrough" } };
    return { name, hostname, protocol, port: 443, ...tls };
  });
  const { gateways } = readWritten([{ name: "gw", spec: { listeners } }]);
  const found = listenerOverlaps(
    gateways.flatMap(({ own }) => own),
    ({ name }) => {
      const own = certificates[name];
      return own === undefined ? [] : [own];
    },
  );
  return Object.fromEntries([...found].map(([{ name }, { reason }]) => [name, reason]));
}

const WILDCARD: HostPattern = { kind: "wildcard", suffix: "example", labels: "one" };

test("hostnames overlap if one covers the other", () => {
  expect(overlaps({ a: "*.example", b: "b.example", c: "c.test" })).toEqual({
    a: "OverlappingHostnames",
    b: "OverlappingHostnames",
  });
});

test("a certificate for the host of another listener is the reason for both", () => {
  expect(overlaps({ a: "a.example", b: "b.example" }, { a: WILDCARD })).toEqual({
    a: "OverlappingCertificates",
    b: "OverlappingCertificates",
  });
});

test("a more specific listener may have a certificate for its own host", () => {
  const own: HostPattern = { kind: "exact", host: "b.example" };
  expect(overlaps({ a: "*.example", b: "b.example" }, { b: own })).toEqual({
    a: "OverlappingHostnames",
    b: "OverlappingHostnames",
  });
});

test("clients of HTTP open no connection for a certificate", () => {
  const protocols = { a: "HTTP", b: "HTTP" };
  expect(overlaps({ a: "*.example", b: "b.example" }, {}, protocols)).toEqual({});
});

test("a TLS listener overlaps with an HTTPS listener, and not with another TLS listener", () => {
  const names = { a: "*.example", b: "b.example" };
  const both = { a: "OverlappingHostnames", b: "OverlappingHostnames" };
  expect(overlaps(names, {}, { b: "TLS" })).toEqual(both);
  expect(overlaps(names, {}, { a: "TLS" })).toEqual(both);
  expect(overlaps(names, {}, { a: "TLS", b: "TLS" })).toEqual({});
});
