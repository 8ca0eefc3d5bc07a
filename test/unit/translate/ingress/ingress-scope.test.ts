import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { type HostPattern, hostKey } from "../../../../src/model/values.js";
import {
  type IngressScope,
  type PreparedIngress,
  portsFor,
  withAliases,
} from "../../../../src/translate/ingress/ingress-scope.js";
import type { SslStrategy } from "../../../../src/translate/load-balancer.js";

const HOST: HostPattern = { kind: "exact", host: "a.example" };

/** Only what ports and aliases depend on. */
function world(given: {
  readonly annotation?: string;
  readonly sslStrategy?: SslStrategy;
  readonly isWanted?: boolean;
  readonly aliases?: readonly HostPattern[];
  readonly facts?: Readonly<Record<string, object>>;
}) {
  const { annotation, sslStrategy, isWanted = false, aliases = [], facts = {} } = given;
  const annotations = { "alb.networking.cpaas.io/enable-https": annotation ?? "" };
  const prepared = { ingress: { metadata: { annotations } }, aliases };
  const scope = {
    balancer: { ingress: { http: { port: 80 }, https: { port: 443 }, sslStrategy } },
    context: { options: DEFAULT_OPTIONS },
    isTls: () => isWanted,
    factsOf: (host: HostPattern) => facts[hostKey(host)],
    names: new Map(),
  };
  return [prepared as unknown as PreparedIngress, scope as unknown as IngressScope] as const;
}

describe("the ports of a host without TLS", () => {
  it.each<[SslStrategy | undefined, string | undefined, readonly number[]]>([
    [undefined, undefined, [80, 443]],
    ["Both", undefined, [80, 443]],
    ["Both", "false", [80]],
    ["Always", undefined, [443]],
    ["Always", "false", [80]],
    ["Request", undefined, [80]],
    ["Request", "true", [443]],
    ["Never", "true", [80]],
  ])("with the strategy %s and enable-https %s", (sslStrategy, annotation, ports) => {
    const [prepared, scope] = world({
      ...(sslStrategy && { sslStrategy }),
      ...(annotation !== undefined && { annotation }),
    });
    expect(portsFor(prepared, HOST, scope).map(({ port }) => port)).toEqual(ports);
  });
});

it("a host with TLS is served by both, whatever the strategy", () => {
  const [prepared, scope] = world({ sslStrategy: "Never", isWanted: true });
  expect(portsFor(prepared, HOST, scope).map(({ port }) => port)).toEqual([80, 443]);
});

it("aliases are those that the namespace owns and no rule names, as one list for a host", () => {
  const [free, ruled, foreign] = ["free.example", "ruled.example", "foreign.example"];
  const aliases = [free, ruled, foreign].map((host): HostPattern => ({ kind: "exact", host }));
  const facts = {
    [free]: { isOwned: true, isRuled: false },
    [ruled]: { isOwned: true, isRuled: true },
    [foreign]: { isOwned: false, isRuled: false },
  };
  const [prepared, scope] = world({ aliases, facts });
  const names = withAliases(prepared, HOST, scope);
  expect(names.map(hostKey)).toEqual(["a.example", free]);
  expect(withAliases(prepared, HOST, scope)).toBe(names);
  expect(withAliases(prepared, { kind: "any" }, scope)).toEqual([{ kind: "any" }]);
});
