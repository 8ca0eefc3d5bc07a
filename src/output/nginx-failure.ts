/** nginx's own words → one line that says what to do. */

/** Takes what nginx wrote on standard error, as a whole or a line; gives the first failure in it, translated. */
export function nginxFailure(said: string): string {
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const [message = lines.at(-1)] = lines.flatMap(failureOf);
  if (message === undefined) return "it ended without a word";
  return translateBind(message) ?? message;
}

/** True for a line with which nginx gives up a reload. A port that is taken it tries five times, and then says so. */
export function isFinalFailure(line: string): boolean {
  return failureOf(line).some((message) => !message.includes("failed (98:"));
}

const PREFIX = /^(?:\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d|nginx:) \[emerg\] (?:\d+#\d+: )?(.*)$/;

function failureOf(line: string): readonly string[] {
  const [, message] = PREFIX.exec(line) ?? [];
  return message === undefined ? [] : [message];
}

function translateBind(message: string): string | undefined {
  const [, place = "", number = ""] =
    /^(?:bind|socket|listen)\(\) (?:to )?(\S+) failed \((\d+):/.exec(message) ?? [];
  switch (number) {
    case "98":
      return `${place} is in use by another process`;
    case "13":
      return `${place} needs root or CAP_NET_BIND_SERVICE; ports above 1023 do not (--http-port, --https-port)`;
    case "97":
      return `${place}: this machine has no IPv6; switch it off by --ipv6=false`;
    case "99":
      return `${place} is no address of this machine`;
    default:
      return undefined;
  }
}
