import { gateway, object } from "../../../support/gateway-route-objects.js";
import { translated } from "../../../support/translated.js";

const HTTP = { name: "http", port: 80, protocol: "HTTP" };
const BROKEN = { name: "broken", port: 81, protocol: "SMTP" };

interface Status {
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
