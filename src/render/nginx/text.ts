/**
 * The only way into nginx.conf: templates print only NginxText, and each function that makes one checks one grammar. Users' text belongs
 * in policy.json; values here are numbers, addresses, generated names, an operator's paths and DNS names of TLSRoutes. A refused value is
 * a bug of the caller, so it throws; options are checked when they are read.
 */
import { isIP, isIPv6 } from "node:net";
import { readdirSync, readFileSync } from "node:fs";
import Handlebars from "handlebars";

/** Text that is safe in nginx.conf. The private field makes the type nominal, so no other object is assignable. */
class NginxText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type { NginxText };

/** nginx's configuration parser holds one parameter in 4,096 bytes, escapes included. */
const LONGEST_PARAMETER = 2000;

/** A bare parameter: letters, digits and `_ . : / -`, so neither quotes nor variables nor the end of a directive. */
export function word(text: string): NginxText {
  if (!/^[A-Za-z0-9_.:/-]+$/.test(text)) refuse("word", text);
  return new NginxText(text);
}

/** A generated name such as a server's id, which is also part of Lua strings and of locations' names. */
export function identifier(text: string): NginxText {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]*$/.test(text)) refuse("identifier", text);
  return new NginxText(text);
}

/** The name of a location. */
export function locationName(name: string): NginxText {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) refuse("location name", name);
  return new NginxText(`@${name}`);
}

/** Text in double quotes, without `$` (it would start a variable, and nginx has no escape for it) and control characters. */
export function quoted(text: string): NginxText {
  // eslint-disable-next-line no-control-regex -- control characters are refused
  if (/[$\u0000-\u001f\u007f]/.test(text) || text.length > LONGEST_PARAMETER)
    refuse("quoted", text);
  return new NginxText(`"${text.replace(/["\\]/g, "\\$&")}"`);
}

/** A Lua table of these names, a line for each. A single text of all names could be longer than nginx reads. */
export function luaNames(names: readonly NginxText[]): NginxText {
  return new NginxText(`{${names.map((name) => `\n    "${name.toString()}",`).join("")}\n}`);
}

/** Words with a special meaning at the start of a line of `map`. */
const MAP_WORDS = ["default", "hostnames", "include", "volatile"];

/** Labels of letters, digits and inner dashes, so no character of nginx's syntax. */
const DNS_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** A user's DNS name in lower case, or `*.` and a DNS name, as the source value of a line of `map`. */
export function mapHost(text: string): NginxText {
  const name = text.startsWith("*.") ? text.slice(2) : text;
  if (text.length > 253 || !DNS_NAME.test(name)) refuse("host", text);
  return new NginxText(MAP_WORDS.includes(text) ? `\\${text}` : text);
}

/** Lines of `map` as one text, with the indentation of streams.conf.hbs: a port may have thousands. */
export function mapLines(lines: readonly NginxText[]): NginxText {
  return new NginxText(lines.map((line) => `${line.toString()};`).join("\n        "));
}

/** A line of `map`. */
export function mapLine(source: NginxText, value: NginxText): NginxText {
  return new NginxText(`${source.toString()} ${value.toString()}`);
}

/** A DNS name as a parameter. */
export function dnsName(text: string): NginxText {
  if (text.length > 253 || !DNS_NAME.test(text)) refuse("DNS name", text);
  return new NginxText(text);
}

/** A whole number ≥ 0; nginx's signed 64 bits hold every safe integer. */
export function integerText(value: number): NginxText {
  if (!Number.isSafeInteger(value) || value < 0) refuse("integer", String(value));
  return new NginxText(String(value));
}

/** A size in bytes. */
export function bytes(value: number): NginxText {
  return integerText(value);
}

/** A variable of nginx or of templates/. */
export function variable(name: string): NginxText {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) refuse("variable", name);
  return new NginxText(`$${name}`);
}

/** Whole seconds. */
export function seconds(value: number): NginxText {
  return new NginxText(`${integerText(value).toString()}s`);
}

/** Whole milliseconds. */
export function milliseconds(value: number): NginxText {
  return new NginxText(`${integerText(value).toString()}ms`);
}

/** An IP address as `listen` and `resolver` want it: IPv6 in brackets. */
export function address(text: string): NginxText {
  if (isIP(text) === 0 || text.includes("%")) refuse("address", text);
  return new NginxText(isIPv6(text) ? `[${text}]` : text);
}

/** An address with a port, as `server` of an upstream wants it. */
export function endpoint(ip: string, port: number): NginxText {
  return new NginxText(`${address(ip).toString()}:${integerText(port).toString()}`);
}

/** An address or `address/bits`, without brackets, as `geo` and `set_real_ip_from` want it. */
export function cidr(text: string): NginxText {
  const [, ip = "", bits = "0"] = /^([0-9A-Fa-f:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (isIP(ip) === 0 || Number(bits) > (isIPv6(ip) ? 128 : 32)) refuse("cidr", text);
  return new NginxText(text);
}

function refuse(grammar: string, text: string): never {
  throw new Error(`not fit for nginx.conf as ${grammar}: ${JSON.stringify(text.slice(0, 80))}`);
}

/** templates/ is next to src/ and next to dist/. */
const FOLDER = new URL("../../../templates/", import.meta.url);
const SUFFIX = ".conf.hbs";

const OPTIONS: Parameters<typeof Handlebars.compile>[1] = {
  strict: true,
  noEscape: true,
  knownHelpersOnly: true,
  knownHelpers: { text: true },
};

/** Fills templates/<name>.conf.hbs; throws if a value is missing or is not NginxText. */
export function fillTemplate(name: keyof typeof templates, view: object): string {
  // Handlebars also indents empty lines of partials. No parameter ends at the end of a line, so this changes none.
  return templates[name](view, { helpers: { text: printText } }).replace(/(?<! ) +$/gm, "");
}

const templates = loadTemplates();

/** Templates have one helper, `text`; of the built-in helpers they use only `if`, `unless` and `each`. test/templates checks the files. */
function loadTemplates(): Readonly<Record<"nginx" | "endpoints", Handlebars.TemplateDelegate>> {
  const engine = Handlebars.create();
  const partials = new URL("partials/", FOLDER);
  for (const file of readdirSync(partials).filter((name) => name.endsWith(SUFFIX))) {
    const source = readFileSync(new URL(file, partials), "utf8");
    engine.registerPartial(file.slice(0, -SUFFIX.length), engine.compile(source, OPTIONS));
  }
  const compile = (name: string): Handlebars.TemplateDelegate =>
    engine.compile(readFileSync(new URL(`${name}${SUFFIX}`, FOLDER), "utf8"), OPTIONS);
  return {
    nginx: compile("nginx"),
    endpoints: compile("endpoints"),
  };
}

/** Handlebars' `strict` does not check the arguments of helpers. */
function printText(value: unknown): string {
  if (!(value instanceof NginxText)) throw new Error("a template printed what is not NginxText");
  return value.toString();
}
