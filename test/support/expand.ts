/** What the data plane makes of segments, written a second time from their definition in src/model/values.ts. */
import type { Interpolation } from "../../src/model/values.js";

const HOST = /^(?:[A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/;

export type Variables = Readonly<Record<string, string>>;

/** The text, or null when the request is refused. */
export function expand(segments: Interpolation, variables: Variables): string | null {
  let text = "";
  for (const segment of segments) {
    if (typeof segment === "string") {
      text += segment;
      continue;
    }
    const [name, encoding] = segment;
    const value = variables[name] ?? "";
    if (encoding === "host" && !HOST.test(value)) return null;
    text += encoding === "component" ? component(value) : value;
  }
  return text;
}

/** Everything but RFC 3986's unreserved characters is encoded. */
function component(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
