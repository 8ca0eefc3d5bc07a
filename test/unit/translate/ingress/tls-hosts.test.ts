import type { Ingress } from "../../../../src/api/wire.js";
import { Derived, Input } from "../../../../src/engine/tables.js";
import type { HostPattern } from "../../../../src/model/values.js";
import { type HostClaims, HostOwners } from "../../../../src/translate/host-owners.js";
import { TlsHosts, type WantedName } from "../../../../src/translate/ingress/tls-hosts.js";

const A: HostPattern = { kind: "exact", host: "a.example" };
const WILD: HostPattern = { kind: "wildcard", suffix: "example", labels: "one" };

function ingressIn(namespace: string, hour = 0): Ingress {
  const creationTimestamp = `2024-01-01T0${String(hour)}:00:00Z`;
  const metadata = { name: "web", namespace, creationTimestamp };
  return { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata };
}

/** Who owns which host, and what is wanted. */
function world(named: readonly (readonly [Ingress, HostPattern])[]) {
  const claims = new Input<readonly HostClaims[]>();
  const owners = new HostOwners(claims, 0, { sharedHosts: false });
  for (const [i, [object, host]] of named.entries()) {
    claims.set(String(i), [{ object, hosts: [{ host, isRuled: true }] }]);
  }
  const all = new Input<{ readonly wanted: readonly (readonly WantedName[])[] }>();
  const tls = new TlsHosts(all, 0, owners);
  const [readers, untouched] = [new Input<HostPattern>(), { computed: 0 }];
  const isTls = new Derived(readers, (host, read) => {
    untouched.computed += 1;
    return [tls.reader(read)(host)];
  });
  readers.set("a", A);
  /** Whether `A` has TLS; empty: it was not computed again. */
  const want = (...names: readonly WantedName[]): readonly boolean[] => {
    for (const each of names) all.set(each.ingress.metadata.namespace, { wanted: [[each]] });
    owners.update();
    tls.update();
    const { computed } = untouched;
    isTls.update();
    return untouched.computed === computed ? [] : (isTls.get("a") ?? []);
  };
  return { tls, want };
}

function wanted(name: HostPattern, ingress: Ingress, more: Partial<WantedName> = {}): WantedName {
  const { apiVersion, kind, metadata } = ingress;
  const resource = { apiVersion, kind, namespace: metadata.namespace, name: metadata.name };
  return { name, ingress, place: { resource, field: ["spec", "tls"] }, ...more };
}

const OWN = ingressIn("own");

it("a host has TLS if its owner wants it, for it or for the wildcard above", () => {
  const { want } = world([[OWN, A]]);
  expect(want()).toEqual([false]);
  expect(want(wanted(WILD, OWN))).toEqual([true]);
});

it("what another namespace wants for the host counts for nothing", () => {
  const { want } = world([[OWN, A]]);
  expect(want(wanted(A, ingressIn("other")))).toEqual([false]);
});

it("a name is uncovered until an Ingress of its namespace has a certificate for it", () => {
  const { tls, want } = world([[OWN, A]]);
  const without = [wanted(A, OWN), wanted(A, ingressIn("other"))];
  want(...without);
  expect([...tls.uncovered]).toEqual([without[0]]);
  want(wanted(A, OWN, { certificate: "c" }));
  expect([...tls.uncovered]).toEqual([]);
});

it("a change that others can't see touches nothing", () => {
  const { want } = world([[OWN, A]]);
  expect([want(wanted(A, OWN)), want(wanted(A, OWN))]).toEqual([[true], []]);
});

it("a name below a wildcard of another namespace gets its own one's certificate for the wildcard", () => {
  const other = ingressIn("other", 1);
  const { tls, want } = world([
    [OWN, A],
    [other, WILD],
  ]);
  want(wanted(WILD, OWN, { certificate: "mine" }), wanted(WILD, other, { certificate: "theirs" }));
  expect([...tls.below]).toEqual([{ host: A, certificate: "mine" }]);
});
