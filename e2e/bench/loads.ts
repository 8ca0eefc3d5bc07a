/** Kinds of requests that subjects are measured with. */
import type { Subject } from "./subject.js";
import type { Traffic } from "./traffic.js";
import { type LoadResult, wrk } from "./wrk.js";

export interface Slice {
  readonly subject: Subject;
  readonly rules: number;
  readonly traffic: Traffic;
  readonly seconds: number;
  /** Called when the requests begin. */
  readonly begin: () => Promise<void>;
}

export interface Load {
  /** Told in a column if there are several. */
  readonly name: string;
  readonly run: (slice: Slice) => Promise<LoadResult>;
}

/** As many requests as 32 connections of HTTP/1.1 can send, spread over all rules. */
export const SATURATED: Load = {
  name: "HTTP/1.1",
  run: async ({ subject, rules, traffic, seconds, begin }) => {
    const { port, authorization } = subject;
    const words = [
      traffic.requests(rules),
      ...(authorization === undefined ? [] : [authorization]),
    ];
    await begin();
    return wrk({ port, connections: 32, seconds, script: "spread", words });
  },
};
