import type { PathMatch } from "../model/route.js";

/** Paths that match, such as `/a[/…]` for a prefix by elements. */
export function formatPath(path: PathMatch = ["prefix", ""]): string {
  const [kind, value] = path;
  switch (kind) {
    case "exact":
      return value;
    case "prefix":
      return value === "" ? "/…" : `${value}[/…]`;
    case "start":
      return `${value}…`;
    case "regex":
      return ` ~ ${value}`;
  }
}
