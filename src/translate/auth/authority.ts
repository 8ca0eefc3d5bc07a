import { isIPv4, isIPv6 } from "node:net";
import type { Interpolation } from "../../model/values.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { concatenate, literalText, parseTemplate } from "./template.js";

/** Host and port of a URL; variables in them are for host characters only. */
export interface Authority {
  /** Lower case; an IPv6 address without brackets. */
  readonly host: Interpolation;
  /** Absent: the scheme's. A literal port is a number from 1 to 65535 without leading zeros. */
  readonly port?: Interpolation;
}

/** Stands for a variable when the text around it is checked: a valid label by itself and next to label characters. */
const SAMPLE = "v";
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
const MAX_NAME = 253;
const MAX_LABEL = 63;

/** Parses `host[:port]`: a DNS name without empty labels, an IPv4 address or an IPv6 address in brackets; no user name. */
export function parseAuthority(text: string): Result<Authority> {
  if (text.includes("@")) {
    return problem(
      "must not hold a user name or password; send them in a header of auth-proxy-set-headers",
    );
  }
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  if (bracketed) {
    const [, address = "", port] = bracketed;
    if (!isIPv6(address) || address.includes("%")) return problem("has an invalid IPv6 address");
    return withPort([address.toLowerCase()], port);
  }
  const [host = "", port, ...more] = text.split(":");
  if (more.length > 0)
    return problem("has more than one colon in its host; an IPv6 address needs brackets");
  if (/[[\]]/.test(text)) return problem("has brackets that don't hold an IPv6 address");
  const parsed = parseHost(host);
  return parsed.ok ? withPort(parsed.value, port) : parsed;
}

function parseHost(text: string): Result<Interpolation> {
  if (text === "") return problem("has no host");
  const parsed = parseTemplate(text, "host");
  if (!parsed.ok) return parsed;
  const host = parsed.value.map((segment) =>
    typeof segment === "string" ? segment.toLowerCase() : segment,
  );
  const wrong = wrongName(sample(host));
  return wrong === undefined ? ok(host) : problem(wrong);
}

function wrongName(name: string): string | undefined {
  if (name.length > MAX_NAME) return `has a host longer than ${MAX_NAME} characters`;
  const labels = name.split(".");
  if (labels.includes(""))
    return "has an empty label in its host: a dot at an end, or two in a row";
  if (labels.some((label) => label.length > MAX_LABEL || !LABEL.test(label))) {
    return "has a host that is no DNS name: letters, digits, - and _, at most 63 between two dots";
  }
  const last = labels.at(-1) ?? "";
  // A name that ends in digits is read as a number by some resolvers, and as another address than it seems.
  return /^[0-9]+$/.test(last) && !isIPv4(name) ? "has an invalid IPv4 address" : undefined;
}

function withPort(host: Interpolation, text: string | undefined): Result<Authority> {
  if (text === undefined) return ok({ host });
  const parsed = parseTemplate(text, "host");
  if (!parsed.ok) return parsed;
  const port = parsed.value;
  const literal = literalText(port);
  if (literal === undefined) {
    const digits = port.every((part) => typeof part !== "string" || /^[0-9]+$/.test(part));
    return digits ? ok({ host, port }) : problem("has a port that is no number");
  }
  const number = /^[0-9]{1,5}$/.test(literal) ? Number(literal) : 0;
  if (number < 1 || number > 65_535) return problem("has a port that is no number from 1 to 65535");
  return ok({ host, port: concatenate(String(number)) });
}

function sample(host: Interpolation): string {
  return host.map((segment) => (typeof segment === "string" ? segment : SAMPLE)).join("");
}
