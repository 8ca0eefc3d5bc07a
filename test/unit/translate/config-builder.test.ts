import type { Listener } from "../../../src/model/listener.js";
import { ANY_HOST, type HostPattern } from "../../../src/model/values.js";
import { ConfigBuilder } from "../../../src/translate/config-builder.js";
import { HTTP_SERVER, TLS_SERVER, plainRoute } from "../../support/data-plane-config.js";

const builder = (): ConfigBuilder => new ConfigBuilder();

function listener(id: string): Listener {
  return { id, server: "p80", hostname: ANY_HOST };
}

function exact(host: string): HostPattern {
  return { kind: "exact", host };
}

describe("a route", () => {
  it("that is added again as it was has one id", () => {
    const config = builder();
    expect(config.addRoute(plainRoute("a"), 80)).toBe("a");
    expect(config.addRoute(plainRoute("a"), 443)).toBe("a");
    expect(config.bound.routes).toEqual([plainRoute("a")]);
  });

  it("that is another one on a later place gets an id with the place", () => {
    const config = builder();
    const limited = plainRoute("a", { bodyLimit: 1 });
    expect([plainRoute("a"), limited].map((route, i) => config.addRoute(route, 80 + i))).toEqual([
      "a",
      "a@81",
    ]);
    expect(config.bound.routes).toEqual([plainRoute("a"), { ...limited, id: "a@81" }]);
  });
});

describe("listeners", () => {
  it("are listed by id, each with the hosts that it keeps, by host", () => {
    const config = builder();
    for (const id of ["b", "a"]) config.addListener(HTTP_SERVER, listener(id));
    for (const host of ["z.example", "y.example", "z.example"]) config.keepHost("a", exact(host));
    config.keepHost("gone", exact("x.example"));
    expect(config.listeners()).toEqual([
      { ...listener("a"), keeps: [exact("y.example"), exact("z.example")] },
      listener("b"),
    ]);
  });
});

test("certificates are candidates in the order in which they were added, with who wants them", () => {
  const config = builder();
  const resource = { apiVersion: "v1", kind: "Secret", namespace: "n", name: "s" };
  const wanted = { port: 443, place: { resource, field: [] } };
  config.addCertificate({ server: "p443", host: exact("b.example"), certificate: "1" }, wanted);
  config.keepDefaultCertificate("p443", exact("a.example"));
  config.addCertificate({ server: "p443", host: ANY_HOST, certificate: "2" });
  expect(config.candidates).toEqual([
    { certificate: { server: "p443", host: exact("b.example"), certificate: "1" }, wanted },
    { certificate: { server: "p443", host: exact("a.example") } },
    { certificate: { server: "p443", host: ANY_HOST, certificate: "2" } },
  ]);
});

test("TLS to backends is collected once for each id, by id", () => {
  const config = builder();
  const tls = (id: string) =>
    ({ id, hostname: "h", authorities: { kind: "pem", pem: "" } }) as const;
  for (const id of ["b", "a", "b"]) config.addBackendTls(tls(id));
  expect(config.backendTls).toEqual([tls("a"), tls("b")]);
});

test("servers and listeners are listed by id, in whatever order they were added", () => {
  const built = (order: <T>(list: readonly T[]) => readonly T[]) => {
    const config = builder();
    const parts = [
      [HTTP_SERVER, listener("l")],
      [TLS_SERVER, { ...listener("m"), server: TLS_SERVER.id }],
      [TLS_SERVER, { ...listener("n"), server: TLS_SERVER.id }],
    ] as const;
    for (const [server, each] of order(parts)) config.addListener(server, each);
    for (const host of order(["a", "b"])) config.keepHost("l", exact(host));
    return { servers: config.servers, listeners: config.listeners() };
  };
  const model = built((list) => list);
  expect(model.servers).toEqual([TLS_SERVER, HTTP_SERVER]);
  expect(model.listeners.map(({ id }) => id)).toEqual(["l", "m", "n"]);
  expect(built((list) => list.toReversed())).toEqual(model);
});
