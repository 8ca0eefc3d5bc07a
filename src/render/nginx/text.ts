/**
 * The only maker of text that is not a template's own: everything else that reaches nginx.conf passes one of these
 * functions, each of which knows one grammar and refuses what does not fit. Text that users write is not meant to come
 * here at all: it belongs in policy.json. What is left are numbers, addresses, generated names and an operator's paths.
 * A refused value is a bug of the caller, hence the exceptions; options are checked where they are read.
 */
import { isIP, isIPv6 } from "node:net";

/** Text that is safe to print in nginx.conf. The private field makes the type nominal: no string can pass for one. */
class SafeText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type NginxText = SafeText;

export function isNginxText(value: unknown): value is NginxText {
  return value instanceof SafeText;
}

/** nginx's configuration parser holds one parameter in 4,096 bytes, escapes included. */
const LONGEST_PARAMETER = 2000;

/** A bare parameter: letters, digits and `_ . : / -`, so neither quotes nor variables nor the end of a directive. */
export function word(text: string): NginxText {
  if (!/^[A-Za-z0-9_.:/-]+$/.test(text)) refuse("word", text);
  return new SafeText(text);
}

/** A generated name such as a server's id: it also stands in a Lua string and in a location's name. */
export function identifier(text: string): NginxText {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]*$/.test(text)) refuse("identifier", text);
  return new SafeText(text);
}

/** The name of a location that Lua and errors lead to. */
export function locationName(name: string): NginxText {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) refuse("location name", name);
  return new SafeText(`@${name}`);
}

/**
 * Any text in double quotes. `$` is refused because nginx has no escape for it: it would begin a variable. So are
 * control characters, which no parameter of ours needs and which a reader of the file would not see.
 */
export function quoted(text: string): NginxText {
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  if (/[$\u0000-\u001f\u007f]/.test(text) || text.length > LONGEST_PARAMETER)
    refuse("quoted", text);
  return new SafeText(`"${text.replace(/["\\]/g, "\\$&")}"`);
}

/** The words that mean something else than a name at the beginning of a line of `map`. */
const MAP_WORDS = ["default", "hostnames", "include", "volatile"];

/** Labels of letters, digits and inner dashes; nothing of a parameter's syntax can be among them. */
const DNS_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** A DNS name that a user wrote, lower case, as the source value of a line of `map`; with `*.` before it, for any name below. */
export function mapHost(text: string): NginxText {
  const name = text.startsWith("*.") ? text.slice(2) : text;
  if (text.length > 253 || !DNS_NAME.test(name)) refuse("host", text);
  return new SafeText(MAP_WORDS.includes(text) ? `\\${text}` : text);
}

/** Lines of `map`, with the indentation of streams.conf.hbs: there may be thousands for each port. */
export function mapLines(lines: readonly NginxText[]): NginxText {
  return new SafeText(lines.map((line) => `${line.toString()};`).join("\n        "));
}

/** A line of `map`. */
export function mapLine(source: NginxText, value: NginxText): NginxText {
  return new SafeText(`${source.toString()} ${value.toString()}`);
}

/** A DNS name as a parameter. */
export function dnsName(text: string): NginxText {
  if (text.length > 253 || !DNS_NAME.test(text)) refuse("DNS name", text);
  return new SafeText(text);
}

/** A whole number ≥ 0, as nginx reads it (signed 64 bits hold every safe integer). */
export function integerText(value: number): NginxText {
  if (!Number.isSafeInteger(value) || value < 0) refuse("integer", String(value));
  return new SafeText(String(value));
}

/** A size in bytes. */
export function bytes(value: number): NginxText {
  return integerText(value);
}

/** A variable of nginx or of the templates. */
export function variable(name: string): NginxText {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) refuse("variable", name);
  return new SafeText(`$${name}`);
}

/** Parameters as one. */
export function sequence(...parts: readonly NginxText[]): NginxText {
  return new SafeText(parts.join(""));
}

/** Whole seconds. */
export function seconds(value: number): NginxText {
  return new SafeText(`${integerText(value).toString()}s`);
}

/** Whole milliseconds. */
export function milliseconds(value: number): NginxText {
  return new SafeText(`${integerText(value).toString()}ms`);
}

/** An IP address as `listen` and `resolver` want it: IPv6 in brackets. */
export function address(text: string): NginxText {
  if (isIP(text) === 0 || text.includes("%")) refuse("address", text);
  return new SafeText(isIPv6(text) ? `[${text}]` : text);
}

/** An address with a port, as `server` of an upstream wants it. */
export function endpoint(ip: string, port: number): NginxText {
  return new SafeText(`${address(ip).toString()}:${integerText(port).toString()}`);
}

/** An address or `address/bits`, without brackets, as `geo` and `set_real_ip_from` want it. */
export function cidr(text: string): NginxText {
  const [, ip = "", bits = "0"] = /^([0-9A-Fa-f:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (isIP(ip) === 0 || Number(bits) > (isIPv6(ip) ? 128 : 32)) refuse("cidr", text);
  return new SafeText(text);
}

function refuse(grammar: string, text: string): never {
  throw new Error(`not fit for nginx.conf as ${grammar}: ${JSON.stringify(text.slice(0, 80))}`);
}
