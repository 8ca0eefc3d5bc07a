/**
 * A scenario: manifests, and requests as lines with their answers, which the gateway must give and `explain` must foretell.
 *
 *     POST shop.example/a?x=1 [Cookie: a=1] [from 127.0.0.5] [port web] → web /b?x=1 inner.example
 *
 * The answer is the backend, the target and the Host header that it gets, or the status with the Location, the challenge or the reason;
 * words at its end may be left out. `https://` before the host asks by TLS. `{web}` is the port of that name. `[unexplained]`: explain
 * can't know, as it doesn't ask auth services. Lines that start with `#` are comments.
 */
import { explain } from "../../src/explain/explain.js";
import type { ExplainedRoute } from "../../src/explain/outcome.js";
import { readPolicyFile } from "../../src/explain/read-policy.js";
import { parseRequest } from "../../src/explain/request.js";
import type { PolicyDocument } from "../../src/model/policy.js";
import { EchoBackend, echoOf } from "./echo-backend.js";
import { freePort } from "./free-port.js";
import { Gateway, type GatewayOptions } from "./gateway.js";
import type { HttpResponse } from "./http-message.js";
import { type Manifest, service, yaml } from "./manifests.js";
import { useScene } from "./scene.js";

type Ports = Readonly<Record<string, number>>;

export interface Stage extends Pick<GatewayOptions, "flags" | "errors"> {
  /** Names of echo backends; each has a Service of its name. */
  readonly backends: readonly string[];
  /** Names of further ports that are free; `http` and `https` are those of Ingresses. */
  readonly ports?: readonly string[];
  readonly objects: (ports: Ports) => readonly Manifest[] | Promise<readonly Manifest[]>;
}

interface Line {
  readonly method: string;
  readonly tls: boolean;
  readonly host: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly from: string;
  readonly port: string;
  readonly isExplained: boolean;
  readonly answer: string;
}

const LINE = /^([A-Z]+) (https:\/\/)?([^/\s]*)(\/\S*)((?: \[[^\]]*\])*) → (.+)$/;

/** Registers a test for each line; gives the gateway and its ports for what no line can say. */
export function scenario(stage: Stage, text: string): { gateway: Gateway; ports: Ports } {
  const scene = useScene();
  const live = {} as { gateway: Gateway; ports: Ports };
  let policy: PolicyDocument;
  beforeAll(async () => {
    const { backends, ports = [], objects, ...options } = stage;
    const names = ["http", "https", ...ports];
    const pairs = names.map(async (name) => [name, await freePort()] as const);
    live.ports = Object.fromEntries(await Promise.all(pairs));
    const echoes = await Promise.all(backends.map((name) => scene.use(EchoBackend.start(name))));
    const services = echoes.map(({ name, port }) => service(name, [{ port }]));
    const { http = 0, https = 0 } = live.ports;
    const manifests = yaml(...services, ...(await objects(live.ports)));
    const started = Gateway.start({
      ...{ ...options, httpPort: http, httpsPort: https },
      files: { "site.yaml": manifests },
    });
    live.gateway = await scene.use(started);
    const read = readPolicyFile(await live.gateway.readRunFile("policy.json"));
    if (!read.ok) throw new Error(read.problem);
    policy = read.value;
  });
  const lines = text.split("\n").map((line) => line.trim());
  it.each(lines.filter((line) => line !== "" && !line.startsWith("#")))("%s", async (written) => {
    const line = parse(
      written.replace(/\{(\w+)\}/g, (_, name: string) => portOf(live.ports, name)),
    );
    const { method, host, path, headers, from, tls } = line;
    const port = Number(portOf(live.ports, line.port));
    const servername = host.replace(/:\d+$/, "");
    const response = await live.gateway.send({
      ...{ method, host, path, headers, from, port },
      ...(tls && { tls: { servername } }),
    });
    const answer = wordsOf(response);
    expect(startsWith(answer, line.answer) ? line.answer : answer).toBe(line.answer);
    if (!line.isExplained) return;
    const url = `${tls ? `https://${servername}` : "http://gateway"}:${String(port)}${path}`;
    const foretold = foretell(policy, { ...line, url });
    const explained = foretold.some((each) => startsWith(answer, each)) ? answer : foretold;
    expect(explained).toBe(answer);
  });
  return live;
}

function parse(text: string): Line {
  const [whole, method = "", tls, host = "", path = "", options = "", answer = ""] =
    LINE.exec(text) ?? [];
  if (whole === undefined) throw new Error(`this is no line of a scenario: ${text}`);
  const words = Array.from(options.matchAll(/\[([^\]]*)\]/g), ([, word = ""]) => word);
  const option = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`${name} `))?.slice(name.length + 1);
  return {
    ...{ method, host, path, answer, tls: tls !== undefined },
    headers: words.flatMap((word) => {
      const [, name, value] = /^([\w-]+): ?(.*)$/.exec(word) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
    from: option("from") ?? "127.0.0.1",
    port: option("port") ?? (tls === undefined ? "http" : "https"),
    isExplained: !words.includes("unexplained"),
  };
}

function portOf(ports: Ports, name: string): string {
  const port = ports[name];
  if (port === undefined) throw new Error(`the scenario has no port ${name}`);
  return String(port);
}

/** Whether the words of `answer` begin with those of `expected`. */
function startsWith(answer: string, expected: string): boolean {
  return `${answer} `.startsWith(`${expected} `);
}

function wordsOf(response: HttpResponse): string {
  if (response.header("x-echo") !== undefined) {
    const echo = echoOf(response);
    return [echo.backend, echo.url, echo.header("host")].join(" ");
  }
  const detail = ["location", "www-authenticate", "x-alb-err-reason"].map((name) =>
    response.header(name),
  );
  return [String(response.status), detail.find((text) => text !== undefined) ?? ""]
    .join(" ")
    .trim();
}

/** Answers of which explain says that the gateway gives one. */
function foretell(
  policy: PolicyDocument,
  { method, host, url, headers, from: client, path }: Line & { readonly url: string },
): readonly string[] {
  const lines = [["Host", host], ...headers].map((header) => header.join(": "));
  const request = parseRequest({ method, url, headers: lines, client });
  if (!request.ok) throw new Error(request.problem);
  const { answer, certain, route } = explain(policy, request.value);
  if (!certain) throw new Error("explain is not certain");
  if (answer.kind === "refused") return [`${String(answer.status)} ${answer.reason}`];
  const preflight = route?.preflight === true ? ["204"] : [];
  if (answer.kind === "redirected") {
    const { status, url: location = [] } = answer.redirect;
    return [...preflight, [String(status), ...location].join(" ")];
  }
  return route === undefined ? [] : [...preflight, ...forwarded(route, path)];
}

function forwarded(route: ExplainedRoute, target: string): readonly string[] {
  if (route.authChecked) return ["401"];
  return route.backends.map(
    ({ upstream = "" }) => `${upstream.split("/")[1] ?? ""} ${route.rewritten ?? target}`,
  );
}
