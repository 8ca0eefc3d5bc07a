/** Says on a terminal what is being measured; nothing in a pipe or a log. Empty: nothing any longer. */
export function showProgress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${what}`);
}
