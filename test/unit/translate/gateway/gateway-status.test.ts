import { type CompileOptions, DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { gateway, object } from "../../../support/gateway-route-objects.js";
import { translated } from "../../../support/translated.js";

const HTTP = { name: "http", port: 80, protocol: "HTTP" };
const BROKEN = { name: "broken", port: 81, protocol: "SMTP" };

interface Status {
  readonly addresses?: readonly { type: string; value: string }[];
  readonly conditions: readonly { type: string; status: string; reason: string; message: string }[];
}

/** `<type>=<status> <reason>` of each condition of the object. */
function conditions(yaml: string, kind: string, name = "gw"): readonly string[] {
  const { statuses } = translated(yaml);
  const found = statuses.find((each) => each.kind === kind && each.metadata.name === name);
  const { conditions: all } = (found?.status ?? { conditions: [] }) as unknown as Status;
  return all.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}

test("a served Gateway is accepted and programmed, and its references are resolved", () => {
  expect(conditions(gateway([HTTP]), "Gateway")).toEqual([
    "Accepted=True Accepted",
    "Programmed=True Programmed",
    "ResolvedRefs=True ResolvedRefs",
  ]);
});

test("a Gateway with an invalid listener says so, and is served", () => {
  expect(conditions(gateway([HTTP, BROKEN]), "Gateway").slice(0, 2)).toEqual([
    "Accepted=True ListenersNotValid",
    "Programmed=True Programmed",
  ]);
});

test("a Gateway without a valid listener is not accepted", () => {
  expect(conditions(gateway([BROKEN]), "Gateway").slice(0, 2)).toEqual([
    "Accepted=False ListenersNotValid",
    "Programmed=False Invalid",
  ]);
});

test("a default Gateway has a condition that says so", () => {
  const spec = {
    gatewayClassName: "albc",
    defaultScope: "All",
    listeners: [{ ...HTTP, port: 82 }],
  };
  const yaml = gateway([HTTP]) + object("Gateway", "any", spec);
  expect(conditions(yaml, "Gateway", "any")).toContain("DefaultGateway=True DefaultGateway");
});

test("a ListenerSet that its Gateway does not allow has its reason, and a report", () => {
  const spec = { parentRef: { name: "gw" }, listeners: [{ ...HTTP, name: "more", port: 83 }] };
  const yaml = gateway([HTTP]) + object("ListenerSet", "set", spec);
  expect(conditions(yaml, "ListenerSet", "set")[0]).toBe("Accepted=False NotAllowed");
  expect(translated(yaml).reports).toEqual([
    "LISTENER_SET_NOT_SERVED ListenerSet default/set spec.parentRef",
  ]);
});

test("settings without effect are reported", () => {
  const spec = {
    gatewayClassName: "albc",
    defaultScope: "Some",
    allowedListeners: { namespaces: { from: "Some" } },
    listeners: [HTTP],
  };
  const yaml = gateway([{ ...HTTP, port: 82 }]) + object("Gateway", "odd", spec);
  expect(translated(yaml).reports).toEqual([
    "SETTING_UNSUPPORTED Gateway default/odd spec.defaultScope",
    "SETTING_UNSUPPORTED Gateway default/odd spec.allowedListeners.namespaces",
  ]);
});

const SERVICE = `
apiVersion: v1
kind: Service
metadata: { name: edge, namespace: infra }
spec: { type: LoadBalancer, ports: [{ port: 80 }] }
`;
const BALANCED = `${SERVICE}status: { loadBalancer: { ingress: [{ ip: 192.0.2.2 }, { hostname: lb.example }] } }`;
const PUBLISHED = { publishService: "infra/edge" };
const ROUTED = { routedAddresses: ["10.0.0.9", "fd00::9"] };
const { dataPlane } = DEFAULT_OPTIONS;

test.each<[string, string, Partial<CompileOptions>, readonly string[]]>([
  ["nothing is known", "", {}, []],
  ["the machine has routes", "", ROUTED, ["IPAddress 10.0.0.9", "IPAddress fd00::9"]],
  [
    "nginx does not listen on IPv6",
    "",
    { ...ROUTED, dataPlane: { ...dataPlane, ipv6: false } },
    ["IPAddress 10.0.0.9"],
  ],
  [
    "there is a publishAddress",
    "",
    { ...ROUTED, publishAddress: ["192.0.2.1", "a.example"] },
    ["IPAddress 192.0.2.1", "Hostname a.example"],
  ],
  [
    "there is a publishService",
    BALANCED,
    { ...ROUTED, ...PUBLISHED },
    ["IPAddress 192.0.2.2", "Hostname lb.example"],
  ],
  [
    "the publishService has no address yet",
    SERVICE,
    { ...ROUTED, ...PUBLISHED },
    ["AddressNotAssigned"],
  ],
  ["there is no such publishService", "", { ...ROUTED, ...PUBLISHED }, ["AddressNotAssigned"]],
  [
    "it has an address of its own",
    BALANCED,
    { ...ROUTED, ...PUBLISHED, gatewayAddresses: ["10.1.0.1"] },
    ["IPAddress 10.1.0.1"],
  ],
  [
    "a CRD allows no more than 16",
    "",
    { publishAddress: Array.from({ length: 17 }, (_, i) => `192.0.2.${String(i)}`) },
    Array.from({ length: 16 }, (_, i) => `IPAddress 192.0.2.${String(i)}`),
  ],
])("where a Gateway is reached if %s", (_, service, options, expected) => {
  const { statuses, config } = translated(`${gateway([HTTP])}\n---\n${service}`, options);
  const found = statuses.find(({ kind }) => kind === "Gateway")?.status as unknown as Status;
  const reason = found.conditions.find(({ type }) => type === "Programmed")?.reason ?? "";
  const addresses = (found.addresses ?? []).map(({ type, value }) => `${type} ${value}`);
  expect(reason === "Programmed" ? addresses : [...addresses, reason]).toEqual(expected);
  // Whatever the status says, it is served.
  expect(config.listeners.some(({ isolated }) => isolated === true)).toBe(true);
});
