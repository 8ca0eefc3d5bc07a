/** Objects that change as many headers as they can say, each change of which is made for every request. */
import {
  COMPAT,
  type Costly,
  type Manifest,
  OWN,
  annotated,
  object,
  range,
} from "./costly-objects.js";

const name = (i: number): string => `q${i.toString(36)}`;
const names = (n: number): string[] => range(n, name);
const settings = (n: number): Manifest => Object.fromEntries(names(n).map((key) => [key, "1"]));

/** The values of an annotation, by what they do. */
const REWRITES: Readonly<Record<string, (n: number) => Manifest>> = {
  sets: (n) => ({ headers: settings(n) }),
  adds: (n) => ({ headers_add: Object.fromEntries(names(n).map((key) => [key, ["1"]])) }),
  removes: (n) => ({ headers_remove: names(n) }),
  "sets in vain": (n) => ({ headers_var: settings(n) }),
  "does everything to": (n) => ({
    headers: settings(n / 3),
    headers_add: Object.fromEntries(range(n / 3, (i) => [`w${name(i)}`, ["1"]])),
    headers_remove: range(n / 3, (i) => `r${name(i)}`),
  }),
};

const line = (directive: string, words: readonly string[]): string =>
  `${directive} ${words.map((word) => `"${word}"`).join(" ")};`;
const lines = (n: number, of: (i: number) => string): string => range(n, of).join("\n");
/** Text of a snippet. */
const SNIPPETS: Readonly<Record<string, (n: number) => string>> = {
  "input headers": (n) =>
    line(
      "more_set_input_headers",
      names(n).map((key) => `${key}: 1`),
    ),
  "input headers that a request has": (n) =>
    line(
      "more_set_input_headers -r",
      [...names(n - 1), "x1"].map((key) => `${key}: 1`),
    ),
  "input headers, each by itself": (n) =>
    lines(n, (i) => line("more_set_input_headers", [`${name(i)}: 1`])),
  "input headers in turn with those that a request has": (n) =>
    lines(
      n / 2,
      (i) => `more_set_input_headers "x${String(i)}: 1";\nmore_set_input_headers -r "x1: 1";`,
    ),
  "cleared input headers": (n) => line("more_clear_input_headers", names(n)),
  "one input header": (n) =>
    line(
      "more_clear_input_headers",
      range(n, () => "x1"),
    ),
  "headers of the response": (n) =>
    line(
      "more_set_headers",
      names(n).map((key) => `${key}: 1`),
    ),
  "headers of the response, each by itself": (n) =>
    lines(n, (i) => `add_header ${name(i)} 1 always;`),
  "cleared headers of the response": (n) => line("more_clear_headers", names(n)),
  "hidden headers": (n) => lines(n, (i) => `proxy_hide_header ${name(i)};`),
  "headers to the backend": (n) => lines(n, (i) => `proxy_set_header ${name(i)} 1;`),
};
const PATTERNS: Readonly<Record<string, (n: number) => string>> = {
  "patterns of input headers": (n) =>
    line(
      "more_clear_input_headers",
      range(n, () => "q*"),
    ),
  "patterns of input headers that a request has": (n) =>
    line(
      "more_clear_input_headers",
      range(n, (i) => `x${String(i)}*`),
    ),
  "patterns of headers, each by itself": (n) =>
    lines(n, (i) => `more_set_headers "${name(i)}: 1";\nmore_clear_headers "y*";`),
  "patterns of headers": (n) =>
    line(
      "more_clear_headers",
      range(n, () => "q*"),
    ),
};

const both = (text: string): Manifest => ({
  [`${COMPAT}/server-snippet`]: text,
  [`${COMPAT}/configuration-snippet`]: text,
});
const rewrites = (make: (n: number) => Manifest, n: number): Manifest => {
  const text = JSON.stringify(make(n));
  return { [`${OWN}/rewrite-request`]: text, [`${OWN}/rewrite-response`]: text };
};
const asked = { [`${COMPAT}/auth-url`]: "http://a.b/" };

type Annotations = Readonly<Record<string, (n: number) => Manifest>>;
const all = <T>(
  of: Readonly<Record<string, T>>,
  what: (key: string) => string,
  annotations: (make: T, n: number) => Manifest,
): Annotations =>
  Object.fromEntries(
    Object.entries(of).map(([key, make]) => [what(key), (n: number) => annotations(make, n)]),
  );

/** Names of headers, `n` in each annotation. */
const NAMES: Annotations = {
  ...all(REWRITES, (key) => `a rewrite that ${key} headers`, rewrites),
  ...all(
    SNIPPETS,
    (key) => `snippets of ${key}`,
    (make, n) => both(make(n)),
  ),
  ...all(
    SNIPPETS,
    (key) => `rewrites, and snippets of ${key}`,
    (make, n) => ({ ...rewrites((m) => ({ headers: settings(m) }), n), ...both(make(n)) }),
  ),
  "headers of an auth service": (n) => ({
    ...asked,
    [`${COMPAT}/auth-response-headers`]: names(n).join(),
  }),
  "headers for an auth service": () => ({
    ...asked,
    [`${COMPAT}/auth-proxy-set-headers`]: "default/headers",
  }),
  "a snippet of headers for an auth service": (n) => ({
    ...asked,
    [`${COMPAT}/auth-snippet`]: lines(n, (i) => `proxy_set_header ${name(i)} 1;`),
  }),
};
/** Names with `*`. */
const OPEN: Annotations = all(
  PATTERNS,
  (key) => `snippets of ${key}`,
  (make, n) => both(make(n)),
);

const objects =
  (make: (n: number) => Manifest) =>
  (n: number): Manifest[] => [
    object("v1", "ConfigMap", "headers", { data: settings(n) }),
    ...annotated(1, make(n)),
  ];
const costly = (of: Annotations): Costly =>
  Object.fromEntries(Object.entries(of).map(([key, make]) => [key, objects(make)]));

export const COSTLY_HEADERS = costly(NAMES);
export const COSTLY_PATTERNS = costly(OPEN);
