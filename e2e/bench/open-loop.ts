/**
 * A process of its own: open-loop PORT RATE SECONDS FILE [AUTHORIZATION]
 * Sends the requests of the file at random times, so many a second as independent users do (a Poisson process). The times are
 * planned: a request never waits for the answer to another one, and its latency counts from the planned time, also if this
 * process is late. So a pause of the proxy shows in every request that it delays (no coordinated omission).
 * Prints BEGIN when it begins, and RESULT <requests> <failures> <duration µs> <p50 µs> <p99 µs>.
 */
import { readFileSync } from "node:fs";
import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { percentile } from "./statistics.js";
import { requestsIn } from "./traffic.js";

const [port = 0, rate = 0, seconds = 0] = process.argv.slice(2, 5).map(Number);
const [file = "", authorization] = process.argv.slice(5);
const requests = requestsIn(readFileSync(file, "utf8"), authorization);
/** Opened before the first request; further ones when all are in use. */
const CONNECTIONS = 64;
/** Milliseconds for the last answers. A request without one, or with another than 200, counts as one that took so long. */
const PATIENCE = 5000;

const free: Idle[] = [];
const latencies: number[] = [];
let sent = 0;

/** Sends a request and waits for the answer; `planned` by performance.now(). */
type Idle = (request: Buffer, planned: number) => void;

function open(): Socket & { exchange?: Idle } {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let planned: number | undefined;
  let answer = "";
  const exchange: Idle = (request, at) => {
    planned = at;
    socket.write(request);
  };
  socket.setEncoding("latin1");
  socket.on("data", (text) => {
    answer += String(text);
    if (planned === undefined || !isWhole(answer)) return;
    const isServed = answer.startsWith("HTTP/1.1 200 ");
    latencies.push(1000 * (isServed ? performance.now() - planned : PATIENCE));
    planned = undefined;
    answer = "";
    free.push(exchange);
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    const at = free.indexOf(exchange);
    if (at >= 0) free.splice(at, 1);
  });
  return Object.assign(socket, { exchange });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer)?.[1];
  if (length === undefined) throw new Error(`an answer without a length:\n${answer}`);
  return answer.length >= end + 4 + Number(length);
}

for (let i = 0; i < CONNECTIONS; i += 1) {
  const socket = open();
  await once(socket, "connect");
  if (socket.exchange) free.push(socket.exchange);
}
console.log("BEGIN");
const began = performance.now();
const end = began + 1000 * seconds;
let next = began;
// Timers have a resolution of a millisecond: it looks at the clock again and again.
for (;;) {
  const now = performance.now();
  while (next <= now && next < end) {
    const request = requests[sent % requests.length];
    const exchange = free.pop() ?? open().exchange;
    if (request !== undefined) exchange?.(request, next);
    sent += 1;
    next += (-1000 * Math.log(1 - Math.random())) / rate;
  }
  if (now >= end) break;
  await new Promise(setImmediate);
}
const limit = performance.now() + PATIENCE;
while (latencies.length < sent && performance.now() < limit) await delay(1);
while (latencies.length < sent) latencies.push(1000 * PATIENCE);
const duration = 1e6 * seconds;
const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)].map(Math.round);
console.log(`RESULT ${sent} 0 ${duration} ${p50} ${p99}`);
process.exit();
