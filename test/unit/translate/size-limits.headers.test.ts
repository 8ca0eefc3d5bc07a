/** Every request pays for each header that a setting changes, so there is an end to their number. */
import { compile } from "../../../src/compile.js";
import { resourcesFromObjects } from "../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { MOST_HEADERS, MOST_OPEN_HEADERS } from "../../../src/translate/size-limits.js";
import { annotated, object } from "../../support/costly-objects.js";

const OWN = "alb.ingress.cpaas.io";
const COMPAT = "nginx.ingress.kubernetes.io";
const AUTH = { [`${COMPAT}/auth-url`]: "http://auth.example/" };
/** What changes more headers than anybody needs, and yet may. */
const ORDINARY = 60;

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `X-${String(i)}`);
const each = (count: number): object => Object.fromEntries(names(count).map((name) => [name, "1"]));
const lines = (count: number, directive: string): string =>
  names(count)
    .map((name) => `${directive} ${name} 1;`)
    .join("\n");

function compiled(annotations: object, headers = 0) {
  const objects = [
    ...annotated(1, annotations as Record<string, unknown>),
    object("v1", "ConfigMap", "headers", { data: each(headers) }),
  ];
  const options = { ...DEFAULT_OPTIONS, snippets: "translate" } as const;
  const { config, diagnostics } = compile(resourcesFromObjects(objects).resources, options);
  const [route] = config.routes;
  const [auth] = config.auths;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return { route, auth, messages: errors.map(({ code, message }) => `${code} ${message}`) };
}

type Compiled = ReturnType<typeof compiled>;
/** What makes so many headers, how many come out, and what is said of more. */
const SETTINGS: Readonly<
  Record<string, readonly [(count: number) => Compiled, (from: Compiled) => unknown, string]>
> = {
  "rewrite-request": [
    (count) => compiled({ [`${OWN}/rewrite-request`]: JSON.stringify({ headers: each(count) }) }),
    ({ route }) => route?.requestHeaders?.set?.length,
    "ANNOTATION_INVALID rewrite-request: it",
  ],
  "rewrite-response": [
    (count) =>
      compiled({ [`${OWN}/rewrite-response`]: JSON.stringify({ headers_remove: names(count) }) }),
    ({ route }) => route?.responseHeaders?.remove?.length,
    "ANNOTATION_INVALID rewrite-response: it",
  ],
  "configuration-snippet": [
    (count) => compiled({ [`${COMPAT}/configuration-snippet`]: lines(count, "proxy_set_header") }),
    ({ route }) => route?.requestSteps?.length,
    "SNIPPET_UNSUPPORTED configuration-snippet: nothing is done, since it",
  ],
  "auth-snippet": [
    (count) => compiled({ ...AUTH, [`${COMPAT}/auth-snippet`]: lines(count, "proxy_set_header") }),
    ({ auth }) => auth?.forward?.headers?.length,
    "SNIPPET_UNSUPPORTED auth-snippet: nothing is done, since it",
  ],
  "auth-response-headers": [
    (count) => compiled({ ...AUTH, [`${COMPAT}/auth-response-headers`]: names(count).join() }),
    ({ auth }) => auth?.forward?.responseHeaders?.length,
    "AUTH_CONFIG_INVALID auth-response-headers",
  ],
  "auth-proxy-set-headers": [
    (count) =>
      compiled({ ...AUTH, [`${COMPAT}/auth-proxy-set-headers`]: "default/headers" }, count),
    ({ auth }) => auth?.forward?.headers?.length,
    "AUTH_CONFIG_INVALID config map default/headers",
  ],
};

describe.each(Object.entries(SETTINGS))("%s", (_name, [make, countOf, beginning]) => {
  it("may have far more headers than are usual", () => {
    expect(ORDINARY).toBeLessThan(MOST_HEADERS / 4);
    const result = make(ORDINARY);
    expect(result.messages).toEqual([]);
    expect(countOf(result)).toBe(ORDINARY);
  });

  it("may have so many and no more", () => {
    expect(make(MOST_HEADERS).messages).toEqual([]);
    const result = make(MOST_HEADERS + 1);
    const clause = `${beginning} has 257 headers, and 256 are the most`;
    expect(result.messages).toEqual([expect.stringContaining(clause)]);
    expect(countOf(result)).toBeUndefined();
  });
});

it("settings of authentication that have too many close the path", () => {
  for (const name of ["auth-response-headers", "auth-proxy-set-headers"]) {
    const { auth } = SETTINGS[name]?.[0](MOST_HEADERS + 1) ?? {};
    expect(auth?.invalid).toContain("has 257 headers");
  }
});

it("a snippet may have so many names with * and no more", () => {
  const make = (count: number) =>
    compiled({
      [`${COMPAT}/configuration-snippet`]: `more_clear_headers ${names(count).join("* ")}*;`,
    });
  expect(make(MOST_OPEN_HEADERS).messages).toEqual([]);
  const { messages, route } = make(MOST_OPEN_HEADERS + 1);
  expect(messages).toEqual([
    expect.stringContaining(
      "since it has 17 names of headers that end with *, and 16 are the most",
    ),
  ]);
  expect(route?.responseSteps).toBeUndefined();
});
