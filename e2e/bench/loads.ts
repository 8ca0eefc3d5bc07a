/** Kinds of requests that subjects are measured with. */
import { join } from "node:path";
import { type LoadResult, resultIn, runLoad } from "./load-process.js";
import { REPOSITORY } from "./repository.js";
import type { Subject } from "./subject.js";
import { BROWSER, type Traffic, rules } from "./traffic.js";
import { wrk } from "./wrk.js";

export interface Slice {
  readonly subject: Pick<Subject, "port" | "authorization">;
  readonly rules: number;
  readonly traffic: Traffic;
  readonly seconds: number;
  /** Called when the requests begin. */
  readonly begin: () => Promise<void>;
}

export interface Load {
  readonly name: string;
  /** What CPU time is divided by, as parts of a request; default one request. */
  readonly parts?: number;
  readonly run: (slice: Slice) => Promise<LoadResult>;
}

/** As many requests as 32 connections of HTTP/1.1 can send, spread over all rules. */
export const SATURATED: Load = {
  name: "HTTP/1.1",
  run: async ({ subject, rules: count, traffic, seconds, begin }) => {
    const { port, authorization } = subject;
    const words = [traffic.requests(count), ...optional(authorization)];
    await begin();
    return wrk({ port, connections: 32, seconds, script: "spread", words });
  },
};

/** As many as connections over TLS can send, to the rules of the first host. Their handshakes are not counted. */
export function overTls(
  name: string,
  connections: number,
  protocol: "HTTP/1.1" | { readonly streams: number },
): Load {
  const flags = protocol === "HTTP/1.1" ? ["--h1"] : [`-m${protocol.streams}`];
  return {
    name,
    run: async ({ subject, traffic, seconds, begin }) => {
      const output = await runLoad(
        [
          ...["h2load", "-t1", `-c${connections}`, ...flags, "--warm-up-time=200ms"],
          ...[`-D${1000 * seconds}ms`, `--connect-to=127.0.0.1:${subject.port}`],
          ...Object.entries(BROWSER).flatMap(([header, value]) => ["-H", `${header}: ${value}`]),
          ...["-i", traffic.urls],
        ],
        /^Main benchmark duration is started/,
        begin,
      );
      const found = /^requests: .* (\d+) done, (\d+) succeeded/m.exec(output);
      if (!found) throw new Error(`h2load said:\n${output}`);
      const [requests = 0, succeeded = 0] = found.slice(1).map(Number);
      const failures = requests - succeeded;
      return { requests, failures, seconds, p50: NaN, p99: NaN };
    },
  };
}

/** So many requests a second, whatever becomes of them. */
export function openLoop(rate: number): Load {
  const program = join(REPOSITORY, "e2e/bench/load/open-loop.lua");
  return {
    name: `${rate.toLocaleString("en-GB")}/s`,
    run: async ({ subject, rules: count, traffic, seconds, begin }) => {
      const output = await runLoad(
        [
          ...["luajit", program, ...[subject.port, rate, seconds].map(String)],
          ...[traffic.requests(count), ...optional(subject.authorization)],
        ],
        /^BEGIN$/,
        begin,
      );
      return resultIn(output);
    },
  };
}

/** Large bodies to or from one path; `mebibytes` are those of a request. */
export function bodies(name: string, direction: "down" | "up", mebibytes: number): Load {
  return {
    name,
    parts: mebibytes,
    run: async ({ subject, seconds, begin }) => {
      const [{ host, path } = { host: "", path: "" }] = rules(1);
      const bytes = direction === "up" ? mebibytes * 2 ** 20 : 0;
      const words = [host, `${path}/body`, String(bytes)];
      await begin();
      return wrk({ port: subject.port, connections: 2, seconds, script: "body", words });
    },
  };
}

function optional(word: string | undefined): string[] {
  return word === undefined ? [] : [word];
}
