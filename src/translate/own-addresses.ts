/**
 * What albc and its nginx listen on and no endpoint may be: it would publish albc's metrics, invent spans, or send connections round in a
 * circle until no worker has one left. Ports for HTTP are not among them: a request that returns too often is refused (lua/alb/turns.lua).
 */
import type { CompileOptions } from "../model/options.js";
import type { StreamServer } from "../model/stream.js";
import type { Endpoint } from "../model/upstream.js";
import { addTo } from "../support/collections.js";
import { addressAndPort, addressBytes, cidrContains } from "../support/ip-address.js";
import type { ServicePort } from "./backends.js";

type Protocol = NonNullable<ServicePort["protocol"]>;

interface OwnAddress {
  /** As messages name it. */
  readonly what: string;
  readonly protocol: Protocol;
  readonly port: number;
  /** `0.0.0.0` or `::`: every address of the machine. */
  readonly host: string;
}

type Options = Pick<CompileOptions, "healthAddress" | "machineAddresses"> & {
  readonly dataPlane: Pick<CompileOptions["dataPlane"], "trace">;
};

export class OwnAddresses {
  /** Equal texts refuse the same endpoints. */
  readonly text: string;
  readonly #byPort = new Map<string, OwnAddress[]>();
  /** Of the machine, besides loopback. */
  readonly #machine: readonly (string | undefined)[];

  /** `streams`: ports that pass connections on; only endpoints of these can send them round. */
  constructor(
    { healthAddress, machineAddresses, dataPlane: { trace } }: Options,
    streams: readonly StreamServer[] = [],
  ) {
    const all = [
      ...fixed("the health address of albc", "TCP", healthAddress),
      ...fixed("the traceAddress of albc", "UDP", trace.mode === "spans" ? trace.address : ""),
      ...streams.flatMap(ofStream),
    ];
    for (const each of all) addTo(this.#byPort, keyOf(each), each);
    this.#machine = machineAddresses.map(addressBytes);
    this.text = all.map(({ what, host, ...each }) => `${what} ${keyOf(each)} ${host}`).join();
  }

  /** What of albc a connection to the endpoint would reach: nginx runs on the same machine, so it reaches loopback addresses. */
  at([address, port]: Endpoint, protocol: Protocol = "TCP"): string | undefined {
    const found = this.#byPort.get(keyOf({ protocol, port }));
    return found?.find(({ host }) => this.#reaches(address, host))?.what;
  }

  #reaches(address: string, host: string): boolean {
    const bytes = addressBytes(address);
    return (
      LOCAL.some((range) => cidrContains(range, address)) ||
      bytes === addressBytes(host) ||
      (EVERY.has(host) && this.#machine.includes(bytes))
    );
  }
}

const EVERY: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** The unspecified address reaches loopback, too. */
const LOCAL = ["127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128"];

function keyOf({ protocol, port }: Pick<OwnAddress, "protocol" | "port">): string {
  return `${protocol} ${String(port)}`;
}

function fixed(what: string, protocol: Protocol, text: string): readonly OwnAddress[] {
  return text === "" ? [] : [{ what, protocol, ...addressAndPort(text) }];
}

function ofStream({ protocol, port, addresses }: StreamServer): readonly OwnAddress[] {
  const what = "a port of this gateway that passes connections on";
  const hosts = addresses.length === 0 ? EVERY : addresses;
  return Array.from(hosts, (host) => {
    return { what, protocol: protocol === "udp" ? "UDP" : "TCP", port, host };
  });
}
