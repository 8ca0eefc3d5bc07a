import type { AuthUrl, ExternalAuth, ForwardAuth } from "../../src/model/auth.js";
import type { Interpolation, Segment } from "../../src/model/values.js";

/** Literals and, as `$name` or `$name/encoding`, variables. */
export function text(...parts: readonly string[]): Interpolation {
  return parts.map((part): Segment => {
    const match = /^\$(\w+)(?:\/(raw|component|host))?$/.exec(part);
    if (!match) return part;
    const [, variable = "", encoding] = match;
    return [variable, encoding === "component" || encoding === "host" ? encoding : "raw"];
  });
}

/** Forward auth to a port of 127.0.0.1, with what a test wants otherwise. */
export function forwardAuth(
  port: number,
  path: string,
  parts: Partial<ForwardAuth> = {},
): ForwardAuth {
  return { ...urlOf(port, path), method: "GET", ...parts };
}

/** As `forwardAuth`, asked as an ExternalAuth filter's service. */
export function externalAuth(
  port: number,
  path: string,
  parts: Partial<ExternalAuth> = {},
): ExternalAuth {
  return { ...urlOf(port, path), maxBody: 0, ...parts };
}

function urlOf(port: number, path: string): AuthUrl {
  return {
    scheme: "http",
    host: text("127.0.0.1"),
    port: text(String(port)),
    target: text(path),
  };
}
