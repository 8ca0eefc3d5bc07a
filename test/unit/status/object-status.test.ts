import { MOST_CHARACTERS, withShortMessages } from "../../../src/status/object-status.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { translated } from "../../support/translated.js";

const CLASS = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name: "alb" },
  spec: { controllerName: DEFAULT_OPTIONS.controllerName },
};

/** Every message, wherever it stands. */
function messages(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    key === "message" && typeof entry === "string" ? [entry] : messages(entry),
  );
}

test("as many long names as an API server takes make no status that it refuses", () => {
  const name = "n".repeat(63);
  const long = `${`${name}.`.repeat(3)}${"l".repeat(53)}`;
  const listeners = Array.from({ length: 64 }, (_, index) => ({
    name: `${long}${String(index).padStart(2, "0")}`,
    hostname: `h${String(index).padStart(2, "0")}.${long.slice(0, 240)}`,
    ...{ port: 80, protocol: "HTTP" },
  }));
  const gateway = {
    ...{ apiVersion: CLASS.apiVersion, kind: "Gateway" },
    metadata: { name: "g", namespace: "a" },
    spec: { gatewayClassName: "alb", listeners },
  };
  const route = {
    ...{ apiVersion: CLASS.apiVersion, kind: "HTTPRoute" },
    metadata: { name: "r", namespace: "a" },
    spec: { parentRefs: [{ name: "g" }], hostnames: ["other.example"], rules: [] },
  };
  const { statuses } = translated(
    [CLASS, gateway, route].map((each) => JSON.stringify(each)).join("\n---\n"),
  );

  const lengths = messages(statuses).map((message) => message.length);
  expect(Math.max(...lengths)).toBe(MOST_CHARACTERS);
});

test("the beginning of a message is kept, and no half of a character", () => {
  const text = `x${"🙂".repeat(MOST_CHARACTERS)}`;
  const status = {
    ...{ apiVersion: "v1", kind: "Gateway", metadata: { name: "g", namespace: "a" } },
    status: { listeners: [{ name: "l", conditions: [{ type: "Accepted", message: text }] }] },
  };

  const [message = ""] = messages(withShortMessages(status));

  expect(message.endsWith("🙂…")).toBe(true);
  expect(text.startsWith(message.slice(0, -1))).toBe(true);
  expect(message.length).toBeLessThanOrEqual(MOST_CHARACTERS);
});

test("a status without long messages stays the same object", () => {
  const status = {
    ...{ apiVersion: "v1", kind: "Gateway", metadata: { name: "g", namespace: "a" } },
    status: { conditions: [{ type: "Accepted", message: "fine" }], addresses: [] },
  };
  expect(withShortMessages(status)).toBe(status);
});
