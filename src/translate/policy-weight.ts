/** How many bytes parts of the model have in policy.json, or a few more, without rendering them. */
import type { AuthConfig, HeaderTemplate } from "../model/auth.js";
import { type RouteBinding, inBindingOrder } from "../model/route.js";
import { hostKey } from "../model/values.js";
import { compareIds, getOrInsert, listDifferences, memoized } from "../support/collections.js";
import { isObject } from "../support/json-object.js";
import { usedUp } from "../support/shares.js";

/** The weight of a sorted list. */
export class Sum<T extends object> {
  readonly #weight: (entry: T) => number;
  readonly #compare: (a: T, b: T) => number;
  #list: readonly T[] = [];
  #total = 0;

  constructor(weight: (entry: T) => number, compare: (a: T, b: T) => number) {
    this.#weight = weight;
    this.#compare = compare;
  }

  of(list: readonly T[]): number {
    for (const { before, now } of listDifferences(this.#list, list, this.#compare)) {
      this.#total += (now ? this.#weight(now) : 0) - (before ? this.#weight(before) : 0);
    }
    this.#list = list;
    return this.#total;
  }
}

/** Bindings with the same places. */
interface Group {
  readonly route: string;
  readonly places: Places;
  count: number;
  /** Characters of the bindings themselves. */
  text: number;
}

interface Places {
  readonly count: number;
  /** Characters of their names. */
  readonly text: number;
}

/** Of a place that refers to bindings which it shares with others. */
const REFERENCE = 120;
/** Of a host in `certificates`, without the name. */
export const CERTIFICATE = 90;
/** Of an upstream without endpoints, without the name. */
const UPSTREAM = 30;

/** Bindings are written once for all their places, unless there is only one: see render/policy/host-shards.ts. */
export class BindingSum {
  readonly groups = new Map<RouteBinding["at"], Group>();
  #list: readonly RouteBinding[] = [];
  #total = 0;

  of(list: readonly RouteBinding[]): number {
    for (const { before, now } of listDifferences(this.#list, list, inBindingOrder)) {
      if (before) this.#add(before, -1);
      if (now) this.#add(now, 1);
    }
    this.#list = list;
    return this.#total;
  }

  #add(binding: RouteBinding, count: 1 | -1): void {
    const { at, route } = binding;
    const group = getOrInsert(this.groups, at, () => ({
      route,
      places: placesOf(at),
      count: 0,
      text: 0,
    }));
    this.#total -= weightOfGroup(group);
    group.count += count;
    group.text += count * weightOfBinding(binding);
    this.#total += weightOfGroup(group);
    if (group.count === 0) this.groups.delete(at);
  }
}

export function weightOfGroup({ places, count, text }: Group): number {
  if (count === 0) return 0;
  const isShared = count > 1 && places.count > 1;
  return places.text + (isShared ? text + places.count * REFERENCE : places.count * text);
}

function weightOfBinding({ path, when, order, route }: RouteBinding): number {
  return weightOf(path) + weightOf(when) + order.length + route.length + 50;
}

/** A host may also be one that its listener keeps, and have a certificate. */
function placesOf(at: RouteBinding["at"]): Places {
  let [count, text] = [0, 0];
  for (const { listeners, hosts } of at) {
    const ofListeners = listeners.reduce((sum, id) => sum + 2 * id.length + 30 + CERTIFICATE, 0);
    const ofHosts = hosts.reduce(
      (sum, { host, rank }) => sum + 3 * hostKey(host).length + rank.length,
      0,
    );
    count += listeners.length * hosts.length;
    text += ofListeners * hosts.length + ofHosts * listeners.length;
  }
  return { count, text };
}

/** Without headers of a ConfigMap, which are written once for all auth that has them: see render/policy/build-policy.ts. */
export function weightOfAuth({ forward, ...auth }: AuthConfig): number {
  if (forward?.headers === undefined) return weightOf({ ...auth, forward });
  const { headers: _, ...rest } = forward;
  return weightOf({ ...auth, forward: rest }) + HEADERS_ID;
}

/** Of the id of headers, and of their entry without themselves. */
const HEADERS_ID = 60;

export class AuthSum {
  readonly #auths = new Sum<AuthConfig>(weightOfAuth, compareIds);
  readonly #headers = new Map<readonly HeaderTemplate[], number>();
  #list: readonly AuthConfig[] = [];
  #total = 0;

  of(list: readonly AuthConfig[]): number {
    for (const { before, now } of listDifferences(this.#list, list, compareIds)) {
      if (before) this.#count(before, -1);
      if (now) this.#count(now, 1);
    }
    this.#list = list;
    return this.#auths.of(list) + this.#total;
  }

  #count({ forward }: AuthConfig, count: 1 | -1): void {
    const headers = forward?.headers;
    if (headers === undefined) return;
    const known = this.#headers.get(headers) ?? 0;
    if (known === 0) this.#total += weightOf(headers);
    if (known + count > 0) this.#headers.set(headers, known + count);
    else {
      this.#headers.delete(headers);
      this.#total -= weightOf(headers);
    }
  }
}

const LONG = 32;
const weightOfLong = memoized((values: readonly unknown[]) => weightOfItems(values));

/** Bytes of JSON, or a few more, and of the upstreams that it names. */
export function weightOf(value: unknown): number {
  if (typeof value === "string") return weightOfText(value);
  if (Array.isArray(value)) return value.length < LONG ? weightOfItems(value) : weightOfLong(value);
  if (!isObject(value)) return 8;
  let sum = 2;
  for (const [key, entry] of Object.entries(value)) {
    sum += weightOfText(key) + weightOf(entry) + 2;
    if (key === "upstream") sum += weightOf(entry) + UPSTREAM;
  }
  return sum;
}

function weightOfItems(values: readonly unknown[]): number {
  let sum = 2;
  for (const value of values) sum += weightOf(value) + 1;
  return sum;
}

function weightOfText(text: string): number {
  return /^[ !#-[\]-~]*$/.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}

export const KIB = 1024;

/** Why an object gets no share of so many bytes. */
export function usedUpKib(
  what: string,
  { metadata: { namespace } }: { readonly metadata: { readonly namespace: string } },
  { used, size, whole }: { readonly used: number; readonly size: number; readonly whole: number },
): string {
  const shares = { namespace, used: used / KIB, whole: whole / KIB, size: size / KIB };
  return usedUp(`KiB of ${what}`, shares);
}
