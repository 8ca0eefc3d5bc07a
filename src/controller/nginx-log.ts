import { isBindAttempt, isOfClosedShare } from "../output/nginx-log.js";
import type { Log } from "../support/log.js";

// 2026/01/02 03:04:05 [error] 12#12: *7 message, client: …
const LINE = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[(\w+)\] \d+#\d+: (?:\*\d+ )?(.*)$/s;

/** Writes a line of nginx's error log as one of ours. What nginx calls an error concerns one request, so it is a warning. */
export function logNginxLine(line: string, log: Log): void {
  const [, level = "warn", message = line] = LINE.exec(line) ?? [];
  const fields = { from: "nginx" };
  if (isBindAttempt(message) || isOfClosedShare(message)) {
    log.debug(fields, message);
    return;
  }
  switch (level) {
    case "emerg":
    case "alert":
    case "crit":
      log.error(fields, message);
      break;
    case "error":
    case "warn":
      log.warn(fields, message);
      break;
    default:
      log.debug(fields, message);
  }
}
