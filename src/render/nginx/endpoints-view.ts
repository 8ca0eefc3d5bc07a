/** streams/endpoints.conf: the endpoints of the pools. They change most often. */
import { createHash } from "node:crypto";
import type { DataPlaneConfig } from "../../model/config.js";
import type { StreamPool } from "../../model/stream.js";
import type { Endpoint } from "../../model/upstream.js";
import { type NginxText, bytes, endpoint, fillTemplate, integerText, word } from "./text.js";

export const ENDPOINTS_FILE = "streams/endpoints.conf";

export function renderEndpoints({
  pools,
  streamUpstreams,
}: Pick<DataPlaneConfig, "pools" | "streamUpstreams">): string {
  const endpoints = new Map(streamUpstreams.map((upstream) => [upstream.id, upstream.endpoints]));
  return fillTemplate("endpoints", {
    pools: pools.map((pool) => poolView(pool, endpoints)),
  });
}

function poolView(pool: StreamPool, endpoints: ReadonlyMap<string, readonly Endpoint[]>): object {
  const peers = peersOf(pool, endpoints);
  return {
    name: poolName(pool.id),
    memory: bytes(zoneSize(peers.length)),
    peers: peers.map(({ server, weight, closing }) => ({
      server,
      weight: integerText(weight),
      closing,
    })),
  };
}

/**
 * The endpoints of a backend share its weight; a backend without endpoints closes its share. nginx's weights are whole numbers.
 * `closing`: nginx must never treat the peer as failed.
 */
function peersOf(
  { transport, backends }: StreamPool,
  endpoints: ReadonlyMap<string, readonly Endpoint[]>,
): readonly {
  readonly server: NginxText;
  readonly weight: number;
  readonly closing: boolean;
}[] {
  const shares = backends.map(({ upstream, weight }) => ({
    weight,
    servers: (upstream === undefined ? [] : (endpoints.get(upstream) ?? [])).map(
      ([address, port]) => endpoint(address, port),
    ),
  }));
  const weights = wholeWeights(
    shares.map(({ weight, servers }) => ({ weight, parts: Math.max(1, servers.length) })),
  );
  // Two backends may have an endpoint in common.
  const peers = new Map<string, ReturnType<typeof peersOf>[number]>();
  for (const [i, { servers }] of shares.entries()) {
    const closing = servers.length === 0;
    for (const server of closing ? [CLOSED[transport]] : servers) {
      const key = server.toString();
      const weight = (weights[i] ?? 1) + (peers.get(key)?.weight ?? 0);
      peers.set(key, { server, weight, closing });
    }
  }
  return [...peers.values()];
}

/** nginx sums the weights of a pool, several times in one counter: the sum must stay far below 2^53. */
const HIGHEST_WEIGHT = 1_000_000_000;

/** Whole numbers in the ratio of the quotients `weight / parts`: exactly, or nearly if they would be too high. */
export function wholeWeights(
  shares: readonly { readonly weight: number; readonly parts: number }[],
): readonly number[] {
  const multiple = shares.map(({ parts }) => BigInt(parts)).reduce(leastCommonMultiple, 1n);
  const exact = shares.map(({ weight, parts }) => (BigInt(weight) * multiple) / BigInt(parts));
  const divisor = exact.reduce(greatestCommonDivisor, 0n);
  const least = exact.map((weight) => (divisor === 0n ? weight : weight / divisor));
  const highest = least.reduce((a, b) => (a > b ? a : b), 1n);
  if (highest <= BigInt(HIGHEST_WEIGHT)) return least.map(Number);
  return least.map((weight) => Math.max(1, Number((weight * BigInt(HIGHEST_WEIGHT)) / highest)));
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  return (a / greatestCommonDivisor(a, b)) * b;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

const ZONE = 65_536;
/** Bytes of a peer with its address and name, rounded up. */
const PEER = 1024;

/** Bytes of the shared memory in which all workers count, so shares are exact across workers. */
function zoneSize(peers: number): number {
  return ZONE * Math.ceil((ZONE / 2 + peers * PEER) / ZONE);
}

/*
 * Unix sockets between the stream server of a port and the servers that get its connections. nginx hands over the connection itself
 * (ngx_stream_pass_module): it copies no bytes, and the server sees the client's address. Other users can't connect, because the folder
 * control/ has mode 0700.
 */

/** The socket of the HTTPS server with the id. */
export function httpsSocket(server: string): NginxText {
  return word(`unix:control/https-${server}.sock`);
}

/** The socket of the server that passes TLS through for the stream with the id. */
export function throughSocket(stream: string): NginxText {
  return word(`unix:control/through-${stream}.sock`);
}

/** The socket of the server that ends TLS with the certificate, for connections to the pool. */
export function endingSocket(pool: string, certificate: string): NginxText {
  return word(`unix:control/${digest(`${pool} ${certificate}`)}.sock`);
}

/** For connections without a route. */
export const NO_ROUTE: NginxText = word("unix:control/no-route.sock");

/** Closes every connection: the share of a broken backend. In the folder of the workers, because they connect to it. */
export const CLOSED: Readonly<Record<"tcp" | "udp", NginxText>> = {
  tcp: word("unix:tmp/closed.sock"),
  udp: word("unix:tmp/closed-udp.sock"),
};

/** The name of a pool in nginx.conf, without text of users. */
export function poolName(id: string): NginxText {
  return word(`pool-${digest(id)}`);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 20);
}
