/** Memory that a proxy needs for connections on which nothing happens. */
import { setTimeout as delay } from "node:timers/promises";
import { Connection, formatRequest } from "../harness/http-client.js";
import { residentMemory } from "../harness/processes.js";
import { WebSocketClient } from "../harness/websocket.js";
import { type Estimate, mean } from "./statistics.js";
import type { Subject } from "./subject.js";
import { rules } from "./traffic.js";

export type IdleKind = "WebSocket" | "server-sent events";

export interface IdleCost {
  readonly name: string;
  readonly kind: IdleKind;
  /** Bytes of resident memory for each connection. */
  readonly memory: Estimate;
}

/** Batches of connections; the first one also fills what is kept for later. */
const [BATCHES, BATCH] = [5, 300];

export async function measureIdle(subject: Subject, kind: IdleKind): Promise<Estimate> {
  const open: Connection[] = [];
  const costs: number[] = [];
  try {
    let before = await memoryOf(subject);
    for (let batch = 0; batch < BATCHES; batch += 1) {
      for (let i = 0; i < BATCH; i += 1) {
        const connection = await Connection.open({ port: subject.port });
        open.push(connection);
        await begin(connection, kind);
      }
      await delay(200);
      const now = await memoryOf(subject);
      costs.push((now - before) / BATCH);
      before = now;
    }
  } finally {
    for (const connection of open) connection.close();
  }
  return mean(costs.slice(1));
}

async function begin(connection: Connection, kind: IdleKind): Promise<void> {
  const [{ host, path } = { host: "", path: "" }] = rules(1);
  const request = { host, path: `${path}/${kind === "WebSocket" ? "socket" : "events"}` };
  if (kind === "WebSocket") {
    const { client, head } = await WebSocketClient.upgrade(connection, request);
    if (client === undefined) throw new Error(`a WebSocket was refused: ${head.status}`);
  } else {
    // As EventSource asks.
    connection.write(formatRequest({ ...request, headers: [["Accept", "text/event-stream"]] }));
    const { status } = await connection.receiveHead();
    if (status !== 200) throw new Error(`events were refused: ${status}`);
  }
}

async function memoryOf({ pids }: Subject): Promise<number> {
  let sum = 0;
  for (const pid of pids) sum += await residentMemory(pid);
  return sum;
}
