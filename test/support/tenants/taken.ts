/**
 * What younger objects of a tenant may take, as docs/operations.md lists it ("Namespaces that share hosts"): on a listener that admits
 * the namespace by the precedence of Gateway API, else by an option. Written from the page, not from the code.
 */
import type { Candidate } from "../../../src/explain/candidates.js";
import type { CompileOptions } from "../../../src/model/options.js";
import { claimedBy } from "./claimed.js";
import type { Manifest } from "./manifest.js";
import type { Outcome } from "./outcomes.js";

export interface Added {
  readonly objects: readonly Manifest[];
  readonly options: CompileOptions;
}

/** Port of the listener for connections that admits all namespaces. */
const COMMON_STREAMS = 9444;

/** Whether the tenant may have the request, whichever binding gets it. */
export function isTaken(was: Outcome, is: Outcome, host: string, added: Added): boolean {
  const rivals = [...is.undecided, ...(is.chosen ? [is.chosen] : [])];
  if (is.listener.join() !== was.listener.join()) {
    return isListenerTaken(was, is, added.options);
  }
  const changed = rivals.filter((rival) => ofTenant(rival.source));
  if (changed.some((rival) => !isRivalAllowed(was, rival, added))) return false;
  return changed.length > 0 || isHostOwned(was, host, added);
}

export function ofTenant([, namespace]: readonly string[] = []): boolean {
  return namespace === "tenant";
}

/** By a ListenerSet of the shared Gateway; with sharedHosts by any narrower listener. What Ingresses and Rules name stays theirs. */
function isListenerTaken(
  { listener: was }: Outcome,
  { listener: is }: Outcome,
  options: CompileOptions,
): boolean {
  if (!ofTenant(is) || !["gateway", "listenerset"].includes(was[0] ?? "")) return false;
  return (isCommon(was) && is[0] === "listenerset") || options.sharedHosts;
}

function isCommon([, namespace]: readonly string[]): boolean {
  return namespace === "ops";
}

function isRivalAllowed(was: Outcome, rival: Candidate, { objects, options }: Added): boolean {
  const { chosen, listener } = was;
  const [kind = "", , name] = rival.source ?? [];
  if (chosen === undefined) return true;
  if (kind.endsWith("Route"))
    return isCommon(listener) && isBefore(routeRank(rival), routeRank(chosen));
  if (kind !== "Ingress") return false;
  const isOrdered = objects.some(
    (object) =>
      object.kind === kind &&
      // Of two objects with one name, the first is closed under another name. A closed one has the places of others on its host.
      ((name ?? "").endsWith(object.metadata.name) ||
        claimedBy([object]).hosts.includes(rival.host)) &&
      Object.keys(object.metadata.annotations ?? {}).some((key) => key.includes("rule-priority")),
  );
  if (isOrdered && options.ingressPriorityNamespaces.includes("tenant")) return true;
  // Operators' Rules have a priority before that of Ingresses.
  if (!options.sharedHosts || was.source[0] !== "Ingress") return false;
  return !isBefore(ingressRank(chosen), ingressRank(rival));
}

/** With sharedHosts, who names a host owns its certificate and its redirect to HTTPS despite an older wildcard. */
function isHostOwned(
  { chosen, source }: Outcome,
  host: string,
  { objects, options }: Added,
): boolean {
  if (!options.sharedHosts || source[0] !== "Ingress" || chosen?.host === host) return false;
  const ingresses = objects.filter(({ kind }) => kind === "Ingress");
  const named = claimedBy(ingresses).hosts;
  const aliases = ingresses.flatMap(({ metadata: { annotations = {} } }) =>
    Object.values(annotations),
  );
  return named.includes(host) || aliases.some((text) => text.split(",").includes(host));
}

/** Whether connections for a name, which had a target, may go to another one. `key` is that of `streamsOf`. */
export function isNameTaken(
  key: string,
  victims: readonly Manifest[],
  { objects, options }: Added,
): boolean {
  const [protocol, address = "", name = ""] = key.split(" ");
  const isShared = address.endsWith(`:${String(COMMON_STREAMS)}`);
  if (protocol !== "tls" || !(isShared || options.sharedHosts)) return false;
  const [narrowest = ""] = hostsOf(victims, ["TLSRoute", ...(isShared ? [] : LISTENING)], name);
  const [route] = isShared ? hostsOf(objects, ["TLSRoute"], name) : [];
  // A listener comes before routes: with sharedHosts it takes names of a wider one, whatever routes there name.
  const [rival = ""] = options.sharedHosts ? hostsOf(victims, LISTENING, name) : [narrowest];
  const [listener] = hostsOf(objects, LISTENING, name);
  return isNarrower(route, narrowest) || isAsNarrow(listener, rival);
}

function isNarrower(host: string | undefined, than: string): boolean {
  return host !== undefined && isBefore(hostRank(host), hostRank(than));
}

function isAsNarrow(host: string | undefined, as: string): boolean {
  return host !== undefined && !isBefore(hostRank(as), hostRank(host));
}

const LISTENING = ["Gateway", "ListenerSet"];

/** Those that cover the name, the narrowest first. */
function hostsOf(
  objects: readonly Manifest[],
  kinds: readonly string[],
  name: string,
): readonly string[] {
  return claimedBy(objects.filter(({ kind }) => kinds.includes(kind)))
    .hosts.filter((host) => host === name || (host.startsWith("*") && name.endsWith(host.slice(1))))
    .sort((a, b) => (isBefore(hostRank(a), hostRank(b)) ? -1 : 1));
}

type Rank = readonly number[];

/** Exact names before wildcards before none, the longer first. */
function hostRank(host: string): Rank {
  if (host === "") return [2, 0];
  const suffix = host.replace(/^\*+/, "");
  return [suffix === host ? 0 : 1, -suffix.length];
}

const PATH_RANKS = { exact: 0, regex: 1, prefix: 2, start: 2 };

/** Gateway API: hostname, path, method, number of headers, number of parameters; expressions are ours to place. */
function routeRank({ host, path, when = [] }: Candidate): Rank {
  const [kind = "prefix", text = ""] = path ?? [];
  const count = (of: string): number => -when.filter((each) => each.of === of).length;
  return [
    ...hostRank(host),
    PATH_RANKS[kind],
    kind === "exact" ? 0 : -text.length,
    ...[count("method"), count("header"), count("query")],
  ];
}

/** With sharedHosts: the host, an Exact path before others, then the longer text. */
function ingressRank({ host, path }: Candidate): Rank {
  const [kind, text = ""] = path ?? [];
  return [...hostRank(host), kind === "exact" ? 0 : 1, kind === "exact" ? 0 : -text.length];
}

function isBefore(a: Rank, b: Rank): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}
