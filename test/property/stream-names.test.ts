/**
 * Where a server name goes on ports of TLS: what nginx makes of the names and classes that it is given is what Gateway API says of
 * listeners and routes. The model reads the rules for one name on one port at a time; it shares nothing with the translation.
 */
import { fc } from "../support/fast-check.js";
import { type HostPattern, hostKey } from "../../src/model/values.js";
import type { StreamTarget } from "../../src/model/stream.js";
import {
  type NamedPort,
  type PortNames,
  namesOfPorts,
} from "../../src/translate/gateway/streams/stream-names.js";
import { StreamPlaces } from "../../src/translate/gateway/streams/stream-places.js";
import { streamTarget } from "../support/stream-target.js";

const NAMES = ["a", "b", "x.a", "y.a", "z.x.a", "x.b", "b.x.a"];

function pattern(text: string): HostPattern {
  if (text === "") return { kind: "any" };
  if (!text.startsWith("*.")) return { kind: "exact", host: text };
  return { kind: "wildcard", suffix: text.slice(2), labels: "many" };
}

const text = fc.constantFrom("", ...NAMES, "*.a", "*.b", "*.x.a");

interface Listener {
  readonly hostname: string;
  /** Names of certificates that end TLS; none: it is passed through, or HTTPS'. */
  readonly certificates: readonly (readonly string[])[];
  readonly https: boolean;
}

type Port = readonly Listener[];

interface Route {
  readonly year: number;
  readonly hostnames: readonly string[];
  /** Without one its connections are closed. */
  readonly hasPool: boolean;
  /** Whether it is attached to a listener: by the rests of the numbers of port and listener. */
  readonly attached: readonly (readonly boolean[])[];
}

const listener: fc.Arbitrary<Listener> = fc.record({
  hostname: text,
  certificates: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    fc.array(fc.uniqueArray(text, { minLength: 1, maxLength: 2 }), { maxLength: 3 }),
  ),
  https: fc.integer({ min: 0, max: 4 }).map((each) => each === 0),
});

const port: fc.Arbitrary<Port> = fc.uniqueArray(listener, {
  minLength: 1,
  maxLength: 4,
  selector: ({ hostname }) => hostname,
});

/** Some of one kind: routes tell them apart, or nothing does. */
const ports: fc.Arbitrary<readonly Port[]> = fc
  .array(fc.tuple(port, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 3 })
  .map((kinds) => kinds.flatMap(([kind, count]) => Array<Port>(count).fill(kind)));

const attachedTo = fc.oneof(
  fc.constant([true]),
  fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
);

const route: fc.Arbitrary<Route> = fc.record({
  year: fc.integer({ min: 2020, max: 2022 }),
  hostnames: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
  hasPool: fc.integer({ min: 0, max: 4 }).map((each) => each > 0),
  attached: fc.tuple(attachedTo, attachedTo),
});

/** Oldest first, as routes are bound. */
const routes = fc
  .array(route, { maxLength: 6 })
  .map((all) => all.sort((a, b) => a.year - b.year).map((each, i) => ({ ...each, name: `r${i}` })));

type NamedRoute = Route & { readonly name: string };

function isAttached({ attached: [byPort = [], byListener = []] }: Route, at: readonly number[]) {
  const [port = 0, own = 0] = at;
  return byPort[port % byPort.length] === true && byListener[own % byListener.length] === true;
}

function matches(hostname: string, name: string): boolean {
  if (hostname === "") return true;
  return hostname.startsWith("*.") ? name.endsWith(hostname.slice(1)) : hostname === name;
}

/** Exact, then the longest wildcard, then none. */
function rank(hostname: string): number {
  if (hostname === "") return 0;
  return hostname.startsWith("*.") ? hostname.length : 1000 + hostname.length;
}

function best<T extends { readonly hostname: string }>(all: readonly T[], name: string) {
  return all
    .filter(({ hostname }) => matches(hostname, name))
    .sort((a, b) => rank(b.hostname) - rank(a.hostname))[0];
}

function model(port: Port, number: number, all: readonly NamedRoute[], name: string): string {
  const own = best(port, name);
  if (own === undefined) return "closed";
  if (own.https) return "https";
  const attached = all
    .filter((each) => isAttached(each, [number, port.indexOf(own)]))
    .flatMap(({ hostnames, ...each }) => hostnames.map((hostname) => ({ ...each, hostname })));
  const found = best(attached, name);
  if (found?.hasPool !== true) return "closed";
  const certificate = certificateOf(own, name);
  return certificate === undefined ? found.name : `${found.name} ${certificate}`;
}

/** That of the best name; the first is the listener's own. */
function certificateOf({ hostname, certificates }: Listener, name: string): string | undefined {
  if (certificates.length === 0) return undefined;
  const named = certificates.flatMap((names, i) =>
    names.map((each) => ({ hostname: each, id: certificateId(names, i) })),
  );
  const own = named.filter((each) => intersection(hostname, each.hostname) === each.hostname);
  const [first = []] = certificates;
  return best([{ hostname, id: certificateId(first, 0) }, ...own], name)?.id;
}

/** An id stands for the content of a certificate, so equal ids have equal names. */
function certificateId(names: readonly string[], i: number): string {
  return `c${i} ${names.join(" ")}`;
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

const idOf = (port: number, own: number): string => `p${port}-l${own}`;

function namedPort(port: Port, number: number): NamedPort {
  const bound = { server: `p${number}`, addresses: [], port: number };
  return {
    listeners: port.flatMap(({ hostname, https, certificates }, i) =>
      https
        ? []
        : {
            ...{ ...bound, id: idOf(number, i), hostname: pattern(hostname) },
            stream: certificates.length === 0 ? "passthrough" : "terminate",
            certificates: certificates.map((names, c) => ({
              id: certificateId(names, c),
              names: names.map(pattern),
            })),
          },
    ),
    https: port.flatMap(({ hostname, https }) => (https ? pattern(hostname) : [])),
  };
}

/** As translateStreamRoutes binds it: at once where the hosts in common are the same. */
function bind(places: StreamPlaces, ports: readonly Port[], named: NamedRoute): void {
  const { name, year, hostnames, hasPool } = named;
  const creationTimestamp = `${year}-01-01T00:00:00Z`;
  const metadata = { name, namespace: "n", creationTimestamp };
  const object = { apiVersion: "v1", kind: "TLSRoute", metadata };
  const listeners = ports.flatMap((port, number) =>
    port.flatMap(({ hostname, https }, i) =>
      https || !isAttached(named, [number, i]) ? [] : { id: idOf(number, i), hostname },
    ),
  );
  for (const common of new Set(listeners.map(({ hostname }) => hostname))) {
    const hosts = hostnames.flatMap((hostname, index) => {
      const host = intersection(common, hostname);
      const own = { pattern: pattern(hostname), index };
      return host === undefined ? [] : { ...own, host: pattern(host) };
    });
    const ids = listeners.filter(({ hostname }) => hostname === common).map(({ id }) => id);
    places.bind({ route: object, listeners: ids, hosts, ...(hasPool && { pool: name }) });
  }
}

function translated(
  ports: readonly Port[],
  all: readonly NamedRoute[],
): readonly (PortNames | undefined)[] {
  const places = new StreamPlaces();
  for (const each of all) bind(places, ports, each);
  const named = ports.map(namedPort);
  const names = namesOfPorts(
    named.filter(({ listeners }) => listeners.length > 0),
    places,
  );
  return named.map((each) => names.get(each));
}

function shown(target: StreamTarget | undefined): string {
  if (target?.kind !== "pool") return target?.kind ?? "closed";
  return target.certificate === undefined ? target.pool : `${target.pool} ${target.certificate}`;
}

test("every name goes where its listener's best route leads, on every port", () => {
  fc.assert(
    fc.property(ports, routes, (all, bound) => {
      for (const [number, names] of translated(all, bound).entries()) {
        if (names === undefined) continue;
        const keys = names.names.map(({ host }) => hostKey(host));
        expect(new Set(keys).size).toBe(keys.length);
        for (const name of [...NAMES, "nowhere", "q.x.a"]) {
          expect([number, name, shown(streamTarget(names, name))]).toEqual([
            number,
            name,
            model(all[number] ?? [], number, bound, name),
          ]);
        }
      }
    }),
    { numRuns: 2000 },
  );
});

test("names below a wildcard of one label stay with HTTPS, and no name is there twice", () => {
  const route = { name: "r", year: 2022, hasPool: true, attached: [[true], [true]] };
  const kept: HostPattern = { kind: "wildcard", suffix: "x.a", labels: "one" };
  for (const hostname of ["*.a", "*.x.a"]) {
    const own: Port = [{ hostname, certificates: [], https: false }];
    const places = new StreamPlaces();
    bind(places, [own], { ...route, hostnames: ["*.x.a", "y.x.a"] });
    const port = { ...namedPort(own, 0), https: [kept] };
    const names = namesOfPorts([port], places).get(port) ?? { names: [], classes: [] };
    const found = ["x.a", "y.x.a", "q.x.a"].map((name) => shown(streamTarget(names, name)));
    expect(found).toEqual(["closed", "https", "https"]);
    const keys = names.names.map(({ host }) => hostKey(host).replace("**.", "*."));
    expect(new Set(keys).size).toBe(keys.length);
  }
});

const range = (n: number): readonly number[] => [...Array(n).keys()];

test("ports that differ in a few names have one list of all, and lines of their own for those alone", () => {
  const all = range(64).map((): Port => [{ hostname: "", certificates: [], https: false }]);
  const shared = range(100).map((i) => `n${i}.w`);
  const common = { year: 2020, hasPool: true, name: "all", hostnames: shared };
  const own = range(64).map((i) => ({
    ...{ year: 2021, hasPool: true, name: `own${i}`, hostnames: ["", "*.w"] },
    attached: [range(64).map((port) => port === i), [true]],
  }));
  const found = translated(all, [{ ...common, attached: [[true], [true]] }, ...own]);

  expect(new Set(found.map((each) => each?.names)).size).toBe(1);
  expect(found[0]?.names).toHaveLength(102);
  expect(found.map((each) => each?.classes.length)).toEqual(all.map(() => 1));
});

test("ports where nothing differs are one", () => {
  const alike: Port = [
    { hostname: "", certificates: [], https: false },
    { hostname: "*.a", certificates: [["x.a"], ["y.a"]], https: false },
  ];
  const route = { year: 2020, hasPool: true, name: "r", hostnames: ["x.a", "*.b"] };
  const found = translated([alike, alike], [{ ...route, attached: [[true], [true]] }]);

  expect(found[0]).toBe(found[1]);
  expect(found[0]?.classes).toEqual([]);
});
