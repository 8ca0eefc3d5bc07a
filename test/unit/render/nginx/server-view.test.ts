import type { Server } from "../../../../src/model/listener.js";
import type { PortStream } from "../../../../src/model/stream.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import {
  bodyLimits,
  listenAddresses,
  sharedPorts,
} from "../../../../src/render/nginx/server-view.js";
import { EMPTY_CONFIG, plainRoute } from "../../../support/data-plane-config.js";

const OWN = ["192.0.2.1"];

function server(port: number, addresses: readonly string[]): Server {
  return { id: `p${String(port)}`, port, addresses, tls: false };
}

function stream(protocol: "tcp" | "udp", port: number, addresses: readonly string[]): PortStream {
  return { id: `p${String(port)}-${protocol}`, port, addresses, protocol };
}

test("a port on every address and on single ones is shared, unless one of the two is UDP", () => {
  const servers = [server(80, []), server(81, OWN), server(82, []), server(83, OWN)];
  const streams = [stream("tcp", 80, OWN), stream("tcp", 81, []), stream("udp", 82, OWN)];
  expect([...sharedPorts({ servers, streams })].sort()).toEqual([80, 81]);
});

test("a server without addresses binds all of them, IPv6 only with the option", () => {
  expect(listenAddresses({ addresses: [] }, true)).toEqual(["0.0.0.0", "::"]);
  expect(listenAddresses({ addresses: [] }, false)).toEqual(["0.0.0.0"]);
  expect(listenAddresses({ addresses: OWN }, true)).toEqual(OWN);
});

test("body limits are those of routes and of the gateway, without 0", () => {
  const config = {
    ...EMPTY_CONFIG,
    routes: [
      plainRoute("a", { bodyLimit: 2000 }),
      plainRoute("b"),
      plainRoute("c", { bodyLimit: 0 }),
    ],
  };
  const options = { ...DEFAULT_OPTIONS.dataPlane, bodyLimit: 1000 };
  expect(bodyLimits(config, options)).toEqual([1000, 2000]);
});
