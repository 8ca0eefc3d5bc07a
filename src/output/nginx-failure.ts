/** nginx's own words → one line that says what to do. */
import { withoutWildcard } from "./places.js";

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

/** True for what nginx says, many times, of a port that is taken: the failure that follows says it once. */
export function isBindAttempt(message: string): boolean {
  return /^bind\(\) to \S+ failed \(98:|^still could not bind\(\)/.test(message);
}

/** The places that nginx could not listen on, for TCP or for UDP: `80`, `10.0.0.1:80`. */
export function unavailablePorts(said: string): readonly string[] {
  const places = said.split("\n").flatMap((line) => {
    const [message = ""] = failureOf(line);
    const [, place] = /^bind\(\) to (\S+) failed \((?:98|13|99):/.exec(message) ?? [];
    return place === undefined ? [] : withoutWildcard(place);
  });
  return [...new Set(places.filter((place) => /^\d+$|:\d+$/.test(place)))].sort();
}

/** True for what nginx says of each connection that a backend which can't be used would have had: conditions tell it once. */
export function isOfClosedShare(message: string): boolean {
  return message.includes('upstream: "unix:tmp/closed');
}

const LINE = /^(?:\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d|nginx:) \[(\w+)\] (?:\d+#\d+: )?(.*)$/;

/** Our Lua failing in the master is as final as a directive that is none. */
function failureOf(line: string): readonly string[] {
  const [, level, message = ""] = LINE.exec(line) ?? [];
  return level === "emerg" || message.startsWith("init_by_lua error:") ? [message] : [];
}

function translateBind(message: string): string | undefined {
  const [, place = "", number = ""] =
    /^(?:bind|socket|listen)\(\) (?:to )?(\S+) failed \((\d+):/.exec(message) ?? [];
  switch (number) {
    case "98":
      return `${place} is in use by another process; end that, or choose another port`;
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
