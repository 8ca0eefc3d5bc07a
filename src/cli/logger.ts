import { pino } from "pino";
import type { Logger } from "pino";

/** One JSON line an event on standard error, so that standard output stays free for what was asked for. */
export function createLogger(level: string): Logger {
  const settings = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(settings, pino.destination({ dest: 2, sync: true }));
}
