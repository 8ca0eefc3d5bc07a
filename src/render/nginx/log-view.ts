/** The views of the logs: which fields the access log has, and what Lua has to do for them. */
import { type LogFormat, logFields } from "../../model/log-fields.js";
import type { DataPlaneOptions } from "../../model/options.js";
import { addressAndPort } from "../../support/ip-address.js";
import { type NginxText, bytes, endpoint, quoted, variable, word } from "./text.js";

type LogOptions = Pick<
  DataPlaneOptions,
  "accessLog" | "accessLogFormat" | "accessLogFields" | "trace"
>;

const ENDPOINTS = "upstream_addr";

/** nginx's name for the endpoints of a request, or ours where some of them are behind the adaptor (templates/partials/variables.conf.hbs). */
export function endpointsVariable(adapted: boolean): NginxText {
  return variable(adapted ? `albc_${ENDPOINTS}` : ENDPOINTS);
}

/** Where the log goes, and in which format; shared by requests and by the connections of streams. */
export function logView(options: LogOptions, adapted: boolean): object {
  const { accessLog, accessLogFormat } = options;
  // nginx takes "off" for all logs, that of traces among them.
  if (accessLog === "off") return { off: options.trace.mode !== "spans" };
  const isStdout = accessLog === "stdout";
  const fields = logFields(options.accessLogFields);
  const first = (index: number): { readonly first: boolean } => ({ first: index === 0 });
  return {
    on: true,
    path: isStdout ? word("/dev/stdout") : quoted(accessLog),
    // Writes to a pipe are atomic up to 4 KiB (PIPE_BUF), so lines of several workers do not mix.
    buffer: bytes(isStdout ? 4096 : 65_536),
    json: accessLogFormat === "json",
    named: accessLogFormat !== "json" && word(accessLogFormat),
    endpoints: endpointsVariable(adapted),
    fields: fields.map((field, index) => ({
      ...first(index),
      name: word(field.name),
      number: field.number === true,
      ...valuesOf(field, adapted),
    })),
  };
}

function valuesOf(
  { variable: name, shown = name }: ReturnType<typeof logFields>[number],
  adapted: boolean,
): object {
  if (name !== ENDPOINTS) return { value: variable(name), shown: variable(shown) };
  const value = endpointsVariable(adapted);
  return { value, shown: value };
}

/** The parts of the named formats that Lua provides. */
const PARTS: Readonly<Record<LogFormat, readonly string[]>> = {
  json: [],
  combined: ["user"],
  upstreaminfo: ["user", "route"],
};

/** What Lua has to provide, as words of lua/alb/log.lua. */
export function luaLogView(options: LogOptions): NginxText {
  const isJson = options.accessLogFormat === "json";
  const fields: readonly string[] = isJson
    ? options.accessLogFields
    : PARTS[options.accessLogFormat];
  const parts = ["route", "user", "auth", "auth_time"].filter((name) => fields.includes(name));
  const wanted = options.accessLog === "off" ? [] : [...(isJson ? ["texts"] : []), ...parts];
  const traced = options.trace.mode === "spans" ? ["route"] : [];
  return quoted([...new Set([...wanted, ...traced])].join(" "));
}

/** The address that gets nginx's reports; false without spans. */
export function spansView({ mode, address }: DataPlaneOptions["trace"]): NginxText | false {
  const { host, port } = addressAndPort(address);
  return mode === "spans" && endpoint(host, port);
}
