import type { Ingress } from "../../../../src/api/wire.js";
import type { HostPattern } from "../../../../src/model/values.js";
import { HostOwners } from "../../../../src/translate/host-owners.js";
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
  const owners = new HostOwners("alb", { sharedHosts: false });
  owners.replace(
    named.map(([object, host], i) => [String(i), { object, hosts: [{ host, isRuled: true }] }]),
  );
  const tls = new TlsHosts("alb", owners);
  return { tls, isTls: tls.reader(new Set()) };
}

function wanted(name: HostPattern, ingress: Ingress, more: Partial<WantedName> = {}): WantedName {
  const { apiVersion, kind, metadata } = ingress;
  const resource = { apiVersion, kind, namespace: metadata.namespace, name: metadata.name };
  return { name, ingress, place: { resource, field: ["spec", "tls"] }, ...more };
}

const OWN = ingressIn("own");

it("a host has TLS if its owner wants it, for it or for the wildcard above", () => {
  const { tls, isTls } = world([[OWN, A]]);
  expect(isTls(A)).toBe(false);
  expect(tls.replace([["own", [wanted(WILD, OWN)]]])).toEqual(["tls/alb/a.example"]);
  expect(isTls(A)).toBe(true);
});

it("what another namespace wants for the host counts for nothing", () => {
  const { tls, isTls } = world([[OWN, A]]);
  tls.replace([["web", [wanted(A, ingressIn("other"))]]]);
  expect(isTls(A)).toBe(false);
});

it("a name is uncovered until an Ingress of its namespace has a certificate for it", () => {
  const { tls } = world([[OWN, A]]);
  const without = [wanted(A, OWN), wanted(A, ingressIn("other"))];
  tls.replace(without.map((each) => [each.ingress.metadata.namespace, [each]]));
  expect([...tls.uncovered]).toEqual([without[0]]);
  tls.replace([["own", [wanted(A, OWN, { certificate: "c" })]]]);
  expect([...tls.uncovered]).toEqual([]);
});

it("a change that others can't see touches nothing", () => {
  const { tls } = world([[OWN, A]]);
  tls.replace([["web", [wanted(A, OWN)]]]);
  expect(tls.replace([["web", [wanted(A, OWN)]]])).toEqual([]);
});

it("a name below a wildcard of another namespace gets its own one's certificate for the wildcard", () => {
  const other = ingressIn("other", 1);
  const { tls } = world([
    [OWN, A],
    [other, WILD],
  ]);
  tls.replace([
    ["own", [wanted(WILD, OWN, { certificate: "mine" })]],
    ["other", [wanted(WILD, other, { certificate: "theirs" })]],
  ]);
  expect([...tls.below]).toEqual([{ host: A, certificate: "mine" }]);
});
