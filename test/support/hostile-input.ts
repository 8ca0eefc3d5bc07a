/** Harmless manifests, texts that have hurt others, and the means to put the one into the other. */
import { documentsOf, goldenCases } from "./golden-case.js";

export type Json =
  string | number | boolean | null | undefined | readonly Json[] | { readonly [key: string]: Json };

export const HOSTILE = [
  '"; } http { server { listen 1; } } #',
  "'; include /etc/passwd; '",
  "${env} $host $1 $$",
  "line\nreturn 200 owned;\n",
  "carriage\r\nX-Injected: 1\r\n",
  "nul\0byte",
  "\\\\\\\"\\'",
  "{{triple}} {{{mustache}}} <% %>",
  "a;b{c}d#e f\tg",
  "load_module /tmp/x.so;",
  "content_by_lua_block { os.execute() }",
  "]]..os.exit()..[[",
  "../../../../etc/shadow",
  "\u202e\ufeff\ud800 ü 前 🙂",
  "",
  " ",
  "x".repeat(1_000_000),
];

/** What every object has without having been given it, so that a lookup of a user's text may find it. */
export const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/** The objects of each golden case. */
export const inputs = goldenCases().map((golden) => documentsOf(golden) as readonly Json[]);

/** Every place of a string or key below a value. */
export function places(
  value: Json,
  path: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  if (typeof value === "string") return [path];
  if (Array.isArray(value)) return value.flatMap((item: Json, i) => places(item, [...path, i]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ["key", ...path, key],
    ...places(item, [...path, key]),
  ]);
}

/** A copy with the value, or the key behind `key`, replaced. */
export function replaced(
  value: Json,
  path: readonly (string | number)[],
  text: string | number,
): Json {
  const [step, ...rest] = path;
  if (step === "key" && rest.length > 0) return renamed(value, rest, String(text));
  if (step === undefined) return text;
  if (Array.isArray(value))
    return value.map((item: Json, i) => (i === step ? replaced(item, rest, text) : item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === step ? replaced(item, rest, text) : item,
    ]),
  );
}

function renamed(value: Json, path: readonly (string | number)[], text: string): Json {
  const [step, ...rest] = path;
  if (Array.isArray(value))
    return value.map((item: Json, i) => (i === step ? renamed(item, rest, text) : item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      key !== step
        ? [key, item]
        : rest.length === 0
          ? [text, item]
          : [key, renamed(item, rest, text)],
    ),
  );
}

/** A copy with the text in every field but those that name the object and its kind. */
export function replacedEverywhere(objects: readonly Json[], text: string): readonly Json[] {
  let all: Json = objects;
  for (const path of places(objects)) {
    const last = path.at(-1);
    if (path[0] === "key" || last === "kind" || last === "apiVersion" || last === "name") continue;
    all = replaced(all, path, text);
  }
  return all as readonly Json[];
}
