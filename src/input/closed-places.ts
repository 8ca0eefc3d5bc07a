/** What a closed object answers, in words. */
import type { KindName } from "../api/kinds.js";
import type { KubernetesObject } from "../api/wire.js";
import { type JsonObject, fieldsOf, isObject, itemsOf, own } from "../support/json-object.js";
import { shortened } from "../support/text.js";

const MOST_PLACES = 20;

/** What a closed object answers, for messages: `a.example/admin, b.example (all paths)`. */
export function closedPlaces(kind: KindName, object: KubernetesObject): string {
  const hosts = object.closed?.hosts ?? [];
  const isWhole = (host: string): boolean => hosts === "all" || hosts.includes(host);
  const places = own(PLACES, kind)?.(fieldsOf(fieldsOf(object)["spec"])) ?? [];
  const texts = places.map((place) => {
    if (typeof place === "string") return place;
    const [host, path] = place;
    if (host === "") return `${path} of hosts that no object names`;
    return isWhole(host) ? `${host} (all paths)` : `${host}${path}`;
  });
  return shortened([...new Set(texts)], MOST_PLACES);
}

type Place = string | readonly [host: string, path: string];

const PLACES: Partial<Readonly<Record<KindName, (spec: JsonObject) => readonly Place[]>>> = {
  ALB2: ({ config }) =>
    ["ingressHTTPPort", "ingressHTTPSPort"].map((name) => {
      const port = own(fieldsOf(config), name) ?? (name === "ingressHTTPPort" ? 80 : 443);
      return `port ${textOf(port)} and the ports of its Frontends, unless another object has them`;
    }),
  Frontend: ({ port }) => [`port ${textOf(port)}, unless another object has it`],
  Rule: ({ dslx }) => {
    const valuesOf = (type: string): readonly string[] =>
      itemsOf(dslx)
        .map((term) => fieldsOf(term))
        .filter((term) => term["type"] === type)
        .flatMap(({ values }) =>
          itemsOf(values).flatMap((row) => itemsOf(row).slice(1).map(textOf)),
        );
    return pairs(valuesOf("HOST"), valuesOf("URL"));
  },
  Ingress: ({ rules }) =>
    itemsOf(rules).flatMap((rule) => {
      const { host, http } = fieldsOf(rule);
      const paths = itemsOf(fieldsOf(http)["paths"]).map((path) => textOf(fieldsOf(path)["path"]));
      return pairs([textOf(host)], paths);
    }),
  Gateway: listenerPlaces,
  ListenerSet: listenerPlaces,
  HTTPRoute: routePlaces,
  GRPCRoute: routePlaces,
  TLSRoute: ({ hostnames }) => itemsOf(hostnames).map(textOf),
  AuthPolicy: targetPlaces,
  BackendTLSPolicy: targetPlaces,
};

function listenerPlaces({ listeners }: JsonObject): readonly Place[] {
  return itemsOf(listeners).map((listener) => {
    const { name, port, hostname } = fieldsOf(listener);
    const host = hostname === undefined ? "" : ` for ${textOf(hostname)}`;
    return `listener ${textOf(name)} on port ${textOf(port)}${host}`;
  });
}

function routePlaces({ hostnames, rules }: JsonObject): readonly Place[] {
  const paths = itemsOf(rules).flatMap((rule) => {
    const { matches = [{}] } = fieldsOf(rule);
    return itemsOf(matches).map((match) => {
      const { path, method } = fieldsOf(match);
      const { service = "*", method: name = "*" } = fieldsOf(method);
      return isObject(method)
        ? `/${textOf(service)}/${textOf(name)}`
        : textOf(fieldsOf(path)["value"] ?? "/");
    });
  });
  return pairs(itemsOf(hostnames).map(textOf), paths);
}

function targetPlaces({ targetRefs }: JsonObject): readonly Place[] {
  return itemsOf(targetRefs).map((target) => {
    const { kind, name, sectionName } = fieldsOf(target);
    const section = sectionName === undefined ? "" : `, section ${textOf(sectionName)}`;
    return `${textOf(kind)} ${textOf(name)}${section}`;
  });
}

function pairs(hosts: readonly string[], paths: readonly string[]): readonly Place[] {
  const [named, written] = [hosts.length === 0 ? [""] : hosts, paths.length === 0 ? [""] : paths];
  return named.flatMap((host) => written.map((path) => [host, path] as const));
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
