import type { PathModifier, RouteFilter } from "../../../api/gateway.js";
import type { PathRewrite } from "../../../model/filters.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import type { FilterScope } from "../rule-scope.js";
import { filterType } from "./filter.js";

export const URL_REWRITE = filterType({
  type: "URLRewrite",
  field: "urlRewrite",
  apply({ hostname, path }, place, { scope }) {
    const rewrite = path && pathRewrite(path, within(place, "path"), scope);
    return {
      ...(rewrite && { rewrite }),
      ...(hostname !== undefined && { host: hostname }),
    };
  },
});

const TYPES = ["ReplaceFullPath", "ReplacePrefixMatch"] as const;

/** The new path of a redirect or rewrite; undefined where it can't be told, which is reported. */
export function pathRewrite(
  modifier: PathModifier,
  place: Place,
  { problems, prefix }: FilterScope,
): PathRewrite | undefined {
  switch (problems.choice(modifier.type, TYPES, within(place, "type"))) {
    case "ReplaceFullPath":
      return ["full", modifier.replaceFullPath ?? "/"];
    case "ReplacePrefixMatch": {
      const { replacePrefixMatch: replacement = "/" } = modifier;
      if (prefix !== undefined) return ["prefix", prefix, replacement];
      const message = "a prefix can be replaced only where every match of the rule is a PathPrefix";
      problems.unsupported(message, within(place, "replacePrefixMatch"));
      return undefined;
    }
    case undefined:
      return undefined;
  }
}

/** Whether the filter does something else for each prefix that is matched. */
export function replacesPrefix({ requestRedirect, urlRewrite }: RouteFilter): boolean {
  return [requestRedirect, urlRewrite].some((each) => each?.path?.type === "ReplacePrefixMatch");
}
