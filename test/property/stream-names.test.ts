/**
 * Where a server name goes on a port of TLS: what nginx makes of the names that it is given is what Gateway API says of listeners and
 * routes. The model reads the rules for one name at a time; it shares nothing with the translation.
 */
import { fc } from "../support/fast-check.js";
import type { HostPattern } from "../../src/ir/host-pattern.js";
import { hostKey } from "../../src/ir/host-pattern.js";
import type { StreamName, StreamTarget } from "../../src/ir/stream.js";
import type { StreamBinding } from "../../src/translate/gateway/streams/stream-binding.js";
import type { NamedListener } from "../../src/translate/gateway/streams/stream-names.js";
import { streamNames } from "../../src/translate/gateway/streams/stream-names.js";

const NAMES = ["a", "b", "x.a", "y.a", "z.x.a", "x.b", "b.x.a"];

function pattern(text: string): HostPattern {
  if (text === "") return { kind: "any" };
  if (!text.startsWith("*.")) return { kind: "exact", host: text };
  return { kind: "wildcard", suffix: text.slice(2), labels: "many" };
}

const text = fc.constantFrom("", ...NAMES, "*.a", "*.b", "*.x.a");

interface Route {
  readonly name: string;
  readonly year: number;
  readonly hostname: string;
}

interface Listener {
  readonly hostname: string;
  readonly https: boolean;
  readonly routes: readonly Route[];
}

const listener: fc.Arbitrary<Listener> = fc.record({
  hostname: text,
  https: fc.boolean(),
  routes: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("r1", "r2", "r3", "r4"),
      year: fc.integer({ min: 2020, max: 2022 }),
      hostname: text,
    }),
    { maxLength: 4, selector: ({ name }) => name },
  ),
});

const port = fc.uniqueArray(listener, {
  minLength: 1,
  maxLength: 4,
  selector: ({ hostname }) => hostname,
});

function matches(hostname: string, name: string): boolean {
  if (hostname === "") return true;
  return hostname.startsWith("*.") ? name.endsWith(hostname.slice(1)) : hostname === name;
}

/** Exact, then the longest wildcard, then none. */
function rank(hostname: string): number {
  if (hostname === "") return 0;
  return hostname.startsWith("*.") ? hostname.length : 1000 + hostname.length;
}

function model(listeners: readonly Listener[], name: string): string {
  const [own] = listeners
    .filter(({ hostname }) => matches(hostname, name))
    .sort((a, b) => rank(b.hostname) - rank(a.hostname));
  if (own === undefined) return "closed";
  if (own.https) return "https";
  const [best] = own.routes
    .filter(({ hostname }) => matches(hostname, name))
    .sort(
      (a, b) =>
        rank(b.hostname) - rank(a.hostname) || a.year - b.year || (a.name < b.name ? -1 : 1),
    );
  return best?.name ?? "closed";
}

/** What the hosts of both are; undefined: none. */
function intersection(a: string, b: string): string | undefined {
  const within = (inner: string, outer: string): boolean =>
    outer === "" ||
    inner === outer ||
    (outer.startsWith("*.") &&
      inner !== "" &&
      inner.replace(/^\*/, "x").endsWith(outer.slice(1)) &&
      inner !== outer.slice(2));
  if (within(a, b)) return a;
  return within(b, a) ? b : undefined;
}

function named({ hostname, routes }: Listener): NamedListener {
  const bindings = routes.flatMap((route): StreamBinding[] => {
    const host = intersection(hostname, route.hostname);
    if (host === undefined) return [];
    const creationTimestamp = `${String(route.year)}-01-01T00:00:00Z`;
    const metadata = { name: route.name, namespace: "n", creationTimestamp };
    const object = { apiVersion: "v1", kind: "TLSRoute", metadata };
    const own = { host: pattern(host), hostname: pattern(route.hostname) };
    return [{ ...own, route: object, index: 0, pool: route.name }];
  });
  const shared = { id: hostname, server: "p443", addresses: [], port: 443, certificates: [] };
  return { listener: { ...shared, stream: "passthrough", hostname: pattern(hostname) }, bindings };
}

/** As nginx's map does: the name itself, else the longest wildcard, else the default. */
function nginx(names: readonly StreamName[], name: string): StreamTarget | undefined {
  const keys = new Map(names.map(({ host, to }) => [hostKey(host), to]));
  const labels = name.split(".");
  const wildcards = labels.slice(1).map((_, i) => `**.${labels.slice(i + 1).join(".")}`);
  const key = [name, ...wildcards, ""].find((each) => keys.has(each));
  return key === undefined ? undefined : keys.get(key);
}

function shown(target: StreamTarget | undefined): string {
  if (target === undefined) return "closed";
  return target.kind === "pool" ? target.pool : target.kind;
}

test("every name goes where its listener's best route leads", () => {
  fc.assert(
    fc.property(port, (listeners) => {
      const names = streamNames(
        listeners.filter(({ https }) => !https).map(named),
        listeners.filter(({ https }) => https).map(({ hostname }) => pattern(hostname)),
      );
      for (const name of [...NAMES, "nowhere", "q.x.a"]) {
        expect([name, shown(nginx(names, name))]).toEqual([name, model(listeners, name)]);
      }
    }),
    { numRuns: 2000 },
  );
});

test("names below a wildcard of one label stay with HTTPS, and no name is there twice", () => {
  const routes = ["*.x.a", "y.x.a"].map((hostname) => ({ name: hostname, year: 2022, hostname }));
  const kept: HostPattern = { kind: "wildcard", suffix: "x.a", labels: "one" };
  for (const hostname of ["*.a", "*.x.a"]) {
    const names = streamNames([named({ hostname, https: false, routes })], [kept]);
    const found = ["x.a", "y.x.a", "q.x.a"].map((name) => shown(nginx(names, name)));
    expect(found).toEqual(["closed", "https", "https"]);
    const keys = names.map(({ host }) => hostKey(host).replace("**.", "*."));
    expect(new Set(keys).size).toBe(keys.length);
  }
});
