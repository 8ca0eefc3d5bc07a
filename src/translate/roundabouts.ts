/** Auth URLs that lead through the gateway itself. */
import { KIND_NAMES } from "../api/kinds.js";
import type { Report } from "../diagnostics/sink.js";
import type { RoutingResources } from "../input/resources.js";
import type { DataPlaneConfig } from "../model/config.js";
import { type HostPattern, hostKey } from "../model/values.js";
import { literalText } from "./auth/template.js";
import { keysAbove } from "./hostnames.js";
import { placeOf } from "./place.js";

type Model = Pick<DataPlaneConfig, "auths" | "routes" | "bindings">;

/** Reports auth URLs of hosts that the gateway serves. Most name Services, and then no binding is looked at. */
export function roundabouts(
  resources: RoutingResources,
  { auths, routes, bindings }: Model,
): readonly Report[] {
  const asked = auths.flatMap(({ id, forward }) => {
    const host = forward?.upstream === undefined ? literalText(forward?.host ?? []) : undefined;
    return host === undefined || host === "" ? [] : [{ id, host, keys: keysOf(host) }];
  });
  if (asked.length === 0) return [];
  const served = servedOf(new Set(asked.flatMap(({ keys }) => keys)), bindings);
  const hosts = new Map(
    asked
      .filter(({ keys }) => keys.some((key) => served.has(key)))
      .map(({ id, host }) => [id, host] as const),
  );
  if (hosts.size === 0) return [];
  return routes.flatMap(({ auth = [], source: [written, namespace, name] }): readonly Report[] => {
    const host = auth.map((id) => hosts.get(id)).find((found) => found !== undefined);
    if (host === undefined) return [];
    const kind = KIND_NAMES.find((each) => each === written);
    const object =
      kind === undefined || kind === "EndpointSlice"
        ? undefined
        : resources.get(kind, namespace, name);
    if (object === undefined) return [];
    const message = `the auth URL's host ${host} is one of this gateway, so each question to the auth service leads through it`;
    const hint = "name the Service of the auth service";
    return [{ code: "AUTH_SERVICE_NOT_FOUND", message, ...placeOf(object), hint }];
  });
}

/** Of the host and of the wildcards that cover it. */
function keysOf(host: string): readonly string[] {
  return (["one", "many"] as const).flatMap((labels) => keysAbove({ kind: "exact", host }, labels));
}

/** Those of the keys that bindings have, of which there may be 100,000: no list of their hosts is made. */
function servedOf(keys: ReadonlySet<string>, bindings: Model["bindings"]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = ({ host }: { readonly host: HostPattern }): void => {
    const key = hostKey(host);
    if (keys.has(key)) found.add(key);
  };
  for (const { at } of bindings) for (const { hosts } of at) hosts.forEach(visit);
  return found;
}
