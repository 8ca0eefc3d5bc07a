import type { Log } from "../../../src/support/log.js";
import { logNginxLine } from "../../../src/output/nginx-log.js";

const AT = "2026/01/02 03:04:05";

test.each([
  [`${AT} [emerg] 7#7: unknown directive "foo" in /x/nginx.conf:3`, "error"],
  [`${AT} [alert] 7#7: worker process 9 exited on signal 9`, "error"],
  [`${AT} [error] 7#7: *3 connect() failed`, "warn"],
  [`${AT} [notice] 7#7: start worker processes`, "info"],
  ["nginx: something without a form", "warn"],
  [`${AT} [emerg] 7#7: bind() to 0.0.0.0:80 failed (98: Address already in use)`, "debug"],
  [`${AT} [emerg] 7#7: bind() to [::]:80 failed (98: Address already in use)`, "debug"],
  [`${AT} [emerg] 7#7: still could not bind()`, "debug"],
  [`${AT} [emerg] 7#7: bind() to 0.0.0.0:80 failed (13: Permission denied)`, "error"],
  [
    `${AT} [error] 7#7: *3 recv() failed (104: Connection reset by peer) while proxying and reading from upstream, client: 10.0.0.1, server: 0.0.0.0:53, upstream: "unix:tmp/closed.sock", bytes from/to client:0/0`,
    "debug",
  ],
])("%j is logged as %s", (line, level) => {
  const levels: string[] = [];
  const write = (name: string) => () => void levels.push(name);
  const log: Log = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
  logNginxLine(line, log);
  expect(levels).toEqual([level]);
});
