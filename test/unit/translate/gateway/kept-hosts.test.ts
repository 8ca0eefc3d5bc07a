import { gateway, object } from "../../../support/gateway-route-objects.js";
import { ingress, rules, service, translated } from "../../../support/translated.js";

const [OLD, YOUNG] = ["2001-01-01T00:00:00Z", "2009-01-01T00:00:00Z"];

/** A Gateway that was created between both. */
function listening(hostname: string, protocol = "HTTP", port = 80): string {
  const text = object("Gateway", "mid", {
    gatewayClassName: "albc",
    listeners: [{ name: "l", port, protocol, hostname }],
  });
  return (
    gateway([{ name: "idle", port: 8080, protocol: "HTTP" }]) +
    text.replace('"namespace"', '"creationTimestamp":"2005-01-01T00:00:00Z","namespace"')
  );
}

function site(created: string, host: string): string {
  return (
    service("web", "site") +
    ingress("web", { namespace: "site", created, spec: rules({ [host]: ["/"] }) })
  );
}

const OWN_ADDRESSES =
  "with addresses in the option gatewayAddresses, each Gateway has one of its own";

test("an older Ingress of another namespace keeps its host, and the listener is in conflict", () => {
  const { messages } = translated(listening("a.example") + site(OLD, "a.example"));
  expect(messages("LISTENER_CONFLICT")).toEqual([
    `hostname a.example on port 80 can't be had: it belongs to Ingress site/web; ${OWN_ADDRESSES}`,
  ]);
});

test("a younger Ingress loses its host to the listener", () => {
  const { messages } = translated(listening("a.example") + site(YOUNG, "a.example"));
  expect(messages("LISTENER_CONFLICT")).toEqual([]);
  expect(messages("INGRESS_HOST_TAKEN")).toEqual([
    "a.example on port 80 belongs to listener l of Gateway default/mid",
  ]);
});

test("an older Ingress keeps a host below the listener's wildcard", () => {
  const { config } = translated(listening("*.example") + site(OLD, "a.example"));
  const keeping = config.listeners.filter(({ keeps }) => keeps !== undefined);
  expect(keeping).toMatchObject([
    { id: "ingress/80", keeps: [{ kind: "exact", host: "a.example" }] },
  ]);
});

test("a young listener gets no host below an older listener of another namespace", () => {
  const text = object(
    "Gateway",
    "young",
    {
      gatewayClassName: "albc",
      listeners: [{ name: "y", port: 80, protocol: "HTTP", hostname: "a.example" }],
    },
    "other",
  ).replace('"namespace"', `"creationTimestamp":"${YOUNG}","namespace"`);
  const yaml = listening("*.example") + text;
  expect(translated(yaml).messages("LISTENER_CONFLICT")).toEqual([
    `hostname a.example on port 80 can't be had: it belongs to Gateway default/mid; ${OWN_ADDRESSES}`,
  ]);
  expect(translated(yaml, { sharedHosts: true }).messages("LISTENER_CONFLICT")).toEqual([]);
});
