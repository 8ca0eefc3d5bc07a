/** Spans of a run: what becomes of them is measured and logged. */
import type { Observe } from "../health/run-health.js";
import type { Log } from "../support/log.js";
import { startTracing } from "../tracing/tracing.js";
import { type Settings, traceOptions } from "./settings.js";
import { readVersion } from "./terminal.js";

/** Does nothing unless the option tracing is `spans`. Throws EnvironmentError if traceAddress can't be used. */
export function startSpans(
  settings: Settings,
  log: Log,
  observe: Observe,
): ReturnType<typeof startTracing> {
  let problem: string | undefined;
  return startTracing(
    { ...traceOptions(settings), version: readVersion() },
    {
      news: (news) => {
        observe("traced", news);
        if (news.problem !== undefined && problem === undefined) {
          log.warn({ reason: news.problem }, "spans can't be exported");
        } else if (news.problem === undefined && problem !== undefined) {
          log.info({}, "spans are exported again");
        }
        problem = news.problem;
      },
      failure: (reason) => {
        log.error({ reason }, "the thread that exports spans ended; restart albc for more spans");
      },
    },
  );
}
