/** Every condition's reason that Gateway API names is shown by a golden case, or it is said why nothing here gives it. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ObjectStatus } from "../../src/status/object-status.js";
import { gatewayApi } from "../support/gateway-api.js";
import { compileCase, goldenCases } from "../support/golden-case.js";

/** What a condition is about; the names are those of the API's Go types. */
type Owner =
  "GatewayClass" | "Gateway" | "Listener" | "ListenerEntry" | "ListenerSet" | "Policy" | "Route";

const PENDING = "until a controller has come; statuses are computed by one that is there";
const DEPRECATED = "deprecated in the API";
const RESERVED = "reserved for later by the API";

/** By owner and reason: why no status has it. */
const NOT_GIVEN: Readonly<Record<string, string>> = {
  "GatewayClass Pending": PENDING,
  "GatewayClass Waiting": DEPRECATED,
  "GatewayClass Unsupported":
    "of classes without parametersRef; what is wrong with one is InvalidParameters",
  "GatewayClass UnsupportedVersion":
    "the CRDs of the cluster are not read; objects are, of the versions that are served",
  "Gateway Pending": PENDING,
  "Gateway NotReconciled": DEPRECATED,
  "Gateway Scheduled": DEPRECATED,
  "Gateway AddressesAssigned": DEPRECATED,
  "Gateway PartiallyAssigned": DEPRECATED,
  "Gateway NotAssigned": DEPRECATED,
  "Gateway Ready": RESERVED,
  "Gateway ListenersNotReady": RESERVED,
  "Gateway NoResources": "nothing is reserved for a Gateway; the machine is there already",
  "Listener Pending": PENDING,
  "Listener Ready": RESERVED,
  "Listener Attached": DEPRECATED,
  "Listener NoConflicts": "Conflicted is left out where it does not hold",
  "ListenerEntry Pending": PENDING,
  "ListenerEntry Ready": RESERVED,
  "ListenerEntry ListenerConflict": "HostnameConflict and ProtocolConflict say more",
  "ListenerEntry TooManyListeners": "there is no such limit",
  "ListenerSet Pending": PENDING,
  "Route Pending": PENDING,
};

const DECLARED =
  /^\s*\w+\s+(GatewayClass|Gateway|Listener|ListenerEntry|ListenerSet|Policy|Route)ConditionReason\s*=\s*"(\w+)"/gm;

function declared(): ReadonlySet<string> {
  const folder = join(gatewayApi("api"), "apis/v1");
  const files = readdirSync(folder).filter((name) => name.endsWith("_types.go"));
  const texts = files.map((name) => readFileSync(join(folder, name), "utf8"));
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(DECLARED)].map(([, owner = "", reason = ""]) => `${owner} ${reason}`),
    ),
  );
}

interface Part {
  readonly conditions?: readonly { readonly reason: string }[];
}

function shown(status: ObjectStatus): readonly string[] {
  const { kind } = status;
  const parts = (field: string): readonly Part[] => (status.status[field] ?? []) as readonly Part[];
  const reasons = (owner: Owner, all: readonly Part[]): readonly string[] =>
    all.flatMap(({ conditions = [] }) => conditions.map(({ reason }) => `${owner} ${reason}`));
  if (kind === "HTTPRoute" || kind === "GRPCRoute") return reasons("Route", parts("parents"));
  if (kind === "BackendTLSPolicy") return reasons("Policy", parts("ancestors"));
  const own: readonly Part[] = [status.status];
  if (kind === "GatewayClass") return reasons("GatewayClass", own);
  if (kind === "Gateway") {
    return [...reasons("Gateway", own), ...reasons("Listener", parts("listeners"))];
  }
  if (kind !== "ListenerSet") return [];
  return [...reasons("ListenerSet", own), ...reasons("ListenerEntry", parts("listeners"))];
}

const all = declared();
const inGoldens = new Set(
  goldenCases().flatMap((golden) => compileCase(golden).statuses.flatMap(shown)),
);

it("finds the API's reasons", () => {
  expect(all.size).toBeGreaterThan(80);
});

it.each([...all].sort())("%s", (reason) => {
  expect({ reason, given: inGoldens.has(reason), why: NOT_GIVEN[reason] ?? "" }).toEqual(
    reason in NOT_GIVEN
      ? { reason, given: false, why: expect.stringMatching(/./) as string }
      : { reason, given: true, why: "" },
  );
});

it("excuses nothing that the API does not have", () => {
  expect(Object.keys(NOT_GIVEN).filter((reason) => !all.has(reason))).toEqual([]);
});
