/** Combines flags, `ALBC_*` variables and the options file: a flag wins over a variable, a variable over the file. */
import { hostname } from "node:os";
import {
  type CompileOptions,
  DEFAULT_OPTIONS,
  LOOPBACK,
  LOG_FORMATS,
  NGINX_LOG_LEVELS,
  TRACE_CLIENTS,
  TRACE_MODES,
} from "../model/options.js";
import { own, present } from "../support/json-object.js";
import { type SettingValue, parseSetting } from "./setting-value.js";
import {
  type SettingName,
  type SettingRow,
  SETTINGS,
  flagOf,
  variableOf,
} from "./settings-table.js";
import { gatewayErrorPages } from "./error-pages.js";
import { UsageError } from "./terminal.js";

/** The value of every setting. */
export class Settings {
  readonly #values: ReadonlyMap<string, SettingValue>;

  constructor(values: ReadonlyMap<string, SettingValue>) {
    this.#values = values;
  }

  text(name: SettingName): string {
    return String(this.#values.get(name));
  }

  number(name: SettingName): number {
    return Number(this.#values.get(name));
  }

  switch(name: SettingName): boolean {
    return this.#values.get(name) === true;
  }

  list(name: SettingName): readonly string[] {
    const value = this.#values.get(name);
    return Array.isArray(value) ? value.map(String) : [];
  }
}

/** Combines the sources. Throws a UsageError that names the source, the place, and what the value must be. */
export function resolveSettings(sources: {
  /** Given flags, by key. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Contents of the options file, and its name for messages. */
  readonly file?: {
    readonly name: string;
    readonly contents: unknown;
    /** Where a key stands. */
    readonly lineOf?: (key: string) => number | undefined;
  };
}): Settings {
  const file = readFileKeys(sources);
  rejectUnknownVariables(sources.variables);
  const values = new Map<string, SettingValue>();
  for (const row of SETTINGS) values.set(row.key, resolveOne(row, sources, file));
  const settings = new Settings(values);
  rejectSharedPort(settings);
  rejectBadPublication(settings);
  rejectLostSpans(settings);
  rejectLostPage(settings);
  rejectLargePolicy(settings);
  return settings;
}

/** One port can't serve both HTTP and HTTPS, so one of them would silently not be served. */
function rejectSharedPort(settings: Settings): void {
  const port = settings.number("httpPort");
  if (port === 0 || port !== settings.number("httpsPort")) return;
  throw new UsageError(
    `httpPort and httpsPort are both ${String(port)}; give one of them another port (--http-port, --https-port), or 0 for none`,
  );
}

/** With two sources of addresses, the wrong one might be published. */
function rejectBadPublication(settings: Settings): void {
  const service = settings.text("publishService");
  if (service !== "" && settings.list("publishAddress").length > 0) {
    throw new UsageError(
      "publishService and publishAddress are both given; the addresses are those of the one or the other",
    );
  }
}

function rejectLostSpans(settings: Settings): void {
  if (settings.text("tracing") === "spans" && settings.text("traceAddress") === "") {
    throw new UsageError("tracing is spans, which needs a traceAddress such as 127.0.0.1:10255");
  }
}

function rejectLostPage(settings: Settings): void {
  if (settings.switch("statusPage") && settings.text("healthAddress") === "") {
    throw new UsageError("statusPage needs a healthAddress such as 127.0.0.1:10254");
  }
}

/** With what endpoints and listeners share besides (docs/adr/shares.md), policy.json stays below what can be written and sent. */
const MOST_POLICY_SIZE = 144 * 1024 * 1024;

function rejectLargePolicy(settings: Settings): void {
  if (settings.number("policySize") > MOST_POLICY_SIZE) {
    throw new UsageError("policySize can be at most 144m");
  }
}

function resolveOne(
  row: SettingRow,
  sources: Parameters<typeof resolveSettings>[0],
  file: ReadonlyMap<string, unknown>,
): SettingValue {
  const flag = own(sources.flags, row.key);
  if (flag !== undefined) return parse(row, flag, flagOf(row.key));
  const variable = own(sources.variables, variableOf(row.key));
  if (variable !== undefined && variable !== "") return parse(row, variable, variableOf(row.key));
  if (file.has(row.key)) {
    const { name = "", lineOf } = sources.file ?? {};
    const line = lineOf?.(row.key);
    const place = line === undefined ? name : `${name}:${String(line)}`;
    return parse(row, file.get(row.key), `${place}: ${row.key}`);
  }
  return parse(row, row.default, `default of ${row.key}`);
}

function parse(row: SettingRow, raw: unknown, place: string): SettingValue {
  const result = parseSetting(row, raw);
  if (!result.ok) throw new UsageError(`${place} ${result.problem}, but is ${shown(raw)}`);
  return result.value;
}

/** Characters of a wrong value that a message shows. */
const MOST_SHOWN = 200;

/** An alias in YAML can lead back to what holds it, which JSON can't say. */
function shown(value: unknown): string {
  try {
    const text = JSON.stringify(value);
    return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`;
  } catch {
    return "a list or mapping that holds itself";
  }
}

function readFileKeys(
  sources: Parameters<typeof resolveSettings>[0],
): ReadonlyMap<string, unknown> {
  const contents = sources.file?.contents ?? {};
  const name = sources.file?.name ?? "";
  if (typeof contents !== "object" || Array.isArray(contents)) {
    throw new UsageError(`${name} must hold keys and values, such as \`httpPort: 8080\``);
  }
  const known = new Set<string>(SETTINGS.map((row) => row.key));
  for (const key of Object.keys(contents)) {
    const successor = own(REPLACED, key);
    if (successor !== undefined) {
      throw new UsageError(
        `${name} has the key "${key}", which ${successor.key} has replaced: ${successor.why}`,
      );
    }
    if (!known.has(key))
      throw new UsageError(
        `${name} has the unknown key "${key}"; the keys are listed in docs/options.md`,
      );
  }
  return new Map(Object.entries(contents));
}

/** Options that mean something else now, so their value must not be taken over. */
const REPLACED: Readonly<Record<string, { readonly key: SettingName; readonly why: string }>> = {
  namespaceLocations: {
    key: "nginxLocations",
    why: "it is for all namespaces together, which share it",
  },
};

// A misspelt variable would silently have no effect, which is dangerous for a security setting.
const OTHER_VARIABLES = new Set(["ALBC_CONFIG"]);

function rejectUnknownVariables(variables: Readonly<Record<string, string | undefined>>): void {
  const known = new Set<string>(SETTINGS.map((row) => variableOf(row.key)));
  for (const [key, { key: now, why }] of Object.entries(REPLACED)) {
    if (own(variables, variableOf(key)) !== undefined) {
      throw new UsageError(
        `the variable ${variableOf(key)} has been replaced by ${variableOf(now)}: ${why}`,
      );
    }
  }
  for (const name of Object.keys(variables)) {
    if (
      name.startsWith("ALBC_") &&
      !name.startsWith("ALBC_TEST_") &&
      !known.has(name) &&
      !OTHER_VARIABLES.has(name)
    ) {
      throw new UsageError(
        `the variable ${name} is unknown; the variables are listed in docs/options.md`,
      );
    }
  }
}

/** The settings that a compilation depends on. */
export function compileOptions(settings: Settings): CompileOptions {
  return {
    ...DEFAULT_OPTIONS,
    domains: {
      group: settings.text("albApiGroup"),
      annotations: settings.text("albAnnotationDomain"),
      compatAnnotations: settings.text("compatAnnotationDomain"),
      labels: settings.text("labelDomain"),
    },
    alb: settings.text("alb"),
    httpPort: settings.number("httpPort"),
    httpsPort: settings.number("httpsPort"),
    ingressClass: settings.text("ingressClass"),
    ingressPriorityNamespaces: settings.list("ingressPriorityNamespaces"),
    sharedHosts: settings.switch("sharedHosts"),
    ingressController: settings.text("ingressController"),
    controllerName: settings.text("controllerName"),
    gatewayAddresses: settings.list("gatewayAddresses"),
    healthAddress: settings.text("healthAddress"),
    listenerSockets: settings.number("listenerSockets"),
    nginxLocations: settings.number("nginxLocations"),
    policySize: settings.number("policySize"),
    publishService: settings.text("publishService"),
    publishAddress: settings.list("publishAddress"),
    defaultCertificate: settings.text("defaultCertificate"),
    allowCrossNamespaceAuth: settings.switch("allowCrossNamespaceAuth"),
    unsupportedRestrictions: oneOf(["close", "report"], settings.text("unsupportedRestrictions")),
    snippets: oneOf(["refuse", "translate"], settings.text("snippets")),
    clusterDomain: settings.text("clusterDomain"),
    stream: settings.switch("stream"),
    authAddresses: [...settings.list("authAddresses"), ...LOOPBACK],
    auth: { timeout: settings.number("authTimeout"), tlsVerify: settings.switch("authTlsVerify") },
    ...present(
      "errorPages",
      gatewayErrorPages({
        folder: settings.text("errorPages"),
        service: settings.text("errorPageService"),
        statuses: settings.list("errorPageStatuses").map(Number),
      }),
    ),
    dataPlane: dataPlaneOptions(settings),
  };
}

function dataPlaneOptions(settings: Settings): CompileOptions["dataPlane"] {
  return {
    trustedProxies: settings.list("trustedProxies"),
    proxyProtocol: settings.switch("proxyProtocol"),
    accessLog: settings.text("accessLog"),
    accessLogFormat: oneOf(LOG_FORMATS, settings.text("accessLogFormat")),
    accessLogFields: settings.list("accessLogFields"),
    trace: traceOptions(settings),
    nginxLogLevel: oneOf(NGINX_LOG_LEVELS, settings.text("nginxLogLevel")),
    workers: settings.number("workers"),
    ipv6: settings.switch("ipv6"),
    bodyLimit: settings.number("bodyLimit"),
    outageErrors: settings.number("outageErrors"),
    buffering: settings.switch("buffering"),
    http2Streams: Math.max(1, settings.number("http2Streams")),
    clientRequests: settings.number("clientRequests"),
    routeMetrics: settings.number("routeMetrics"),
    drainTimeout: Math.ceil(settings.number("drainTimeout") / 1000),
  };
}

export function traceOptions(settings: Settings): CompileOptions["dataPlane"]["trace"] {
  return {
    mode: oneOf(TRACE_MODES, settings.text("tracing")),
    rate: settings.number("traceRate"),
    clients: oneOf(TRACE_CLIENTS, settings.text("traceClients")),
    address: settings.text("traceAddress"),
  };
}

/** The choice that a setting is; its table has the same choices. */
function oneOf<Choice extends string>(choices: readonly Choice[], text: string): Choice {
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new Error(`no choice: ${text}`);
  return found;
}

/** Names of the health address, see startHealthServer. */
export function healthNames(settings: Settings): readonly string[] {
  const domain = settings.text("clusterDomain");
  return [hostname(), ".svc", `.${domain}`, ...settings.list("healthHosts")];
}

/** What ingress-nginx says of itself in each of its metrics, by which its dashboards select; undefined: its names are not wanted. */
export function ingressNginxLabels(
  settings: Settings,
  { POD_NAMESPACE = "", POD_NAME = hostname() }: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> | undefined {
  if (!settings.switch("ingressNginxMetrics")) return undefined;
  return {
    controller_class: settings.text("ingressController"),
    controller_namespace: POD_NAMESPACE,
    controller_pod: POD_NAME,
  };
}
