/**
 * Unix sockets between the stream that has a port and the servers that its connections are passed to. nginx hands over the connection
 * itself (ngx_stream_pass_module), so no bytes are copied, and the server sees the client's address. Nobody else can connect: the
 * folder control/ has the mode 0700.
 */
import { createHash } from "node:crypto";
import { type NginxText, word } from "./text.js";

/** Of the HTTPS server with the id. */
export function httpsSocket(server: string): NginxText {
  return word(`unix:control/https-${server}.sock`);
}

/** Of the server that passes TLS through, unread, for the stream with the id. */
export function throughSocket(stream: string): NginxText {
  return word(`unix:control/through-${stream}.sock`);
}

/** Of the server that ends TLS with the certificate for connections to the pool. */
export function endingSocket(pool: string, certificate: string): NginxText {
  return word(`unix:control/${digest(`${pool} ${certificate}`)}.sock`);
}

/** For connections that no route is for. */
export const NO_ROUTE: NginxText = word("unix:control/no-route.sock");

/** Closes what connects: the share of a backend that can't be used. Workers connect to it, so it is in their folder. */
export const CLOSED: Readonly<Record<"tcp" | "udp", NginxText>> = {
  tcp: word("unix:tmp/closed.sock"),
  udp: word("unix:tmp/closed-udp.sock"),
};

/** The name of a pool in nginx.conf: nothing of what users write. */
export function poolName(id: string): NginxText {
  return word(`pool-${digest(id)}`);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 20);
}
