import type { ForwardAuth } from "../../src/ir/auth.js";
import type { Interpolation, Segment } from "../../src/ir/interpolation.js";

/** Literals and, as `$name` or `$name/encoding`, variables. */
export function text(...parts: readonly string[]): Interpolation {
  return parts.map((part): Segment => {
    const match = /^\$(\w+)(?:\/(raw|component|host))?$/.exec(part);
    if (!match) return { literal: part };
    const [, variable = "", encoding] = match;
    return {
      variable,
      encoding: encoding === "component" || encoding === "host" ? encoding : "raw",
    };
  });
}

/** Forward auth to a port of 127.0.0.1, with what a test wants otherwise. */
export function forwardAuth(
  port: number,
  path: string,
  { url, ...parts }: Omit<Partial<ForwardAuth>, "url"> & { url?: Partial<ForwardAuth["url"]> } = {},
): ForwardAuth {
  return {
    url: {
      scheme: "http",
      host: text("127.0.0.1"),
      port: text(String(port)),
      target: text(path),
      ...url,
    },
    method: "GET",
    headers: [],
    responseHeaders: [],
    alwaysSetCookie: false,
    ...parts,
  };
}
