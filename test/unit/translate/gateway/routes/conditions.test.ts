import { DEFAULT_OPTIONS } from "../../../../../src/model/options.js";
import { resourcesFromYaml } from "../../../../../src/input/load.js";
import type { Resources } from "../../../../../src/input/resources.js";
import type { Condition, ObjectStatus } from "../../../../../src/status/object-status.js";
import { ReportedStatuses } from "../../../../../src/translate/gateway/routes/conditions.js";
import { gateway, httpRoute, WEB } from "../../../../support/gateway-route-objects.js";
import { translated } from "../../../../support/translated.js";

const FINE = { backendRefs: WEB };
const REFUSED = { name: "named", backendRefs: WEB, retry: { backoff: "1s" } };

/** `<type>=<status> <reason>: <message>` of each condition of the route's only parent. */
function conditions(rules: unknown, more: object = {}, listeners?: unknown): readonly string[] {
  const { statuses } = translated(gateway(listeners) + httpRoute("r", rules, more));
  const status = statuses.find(({ kind }) => kind === "HTTPRoute");
  const parents = status?.status["parents"] as readonly { conditions: readonly Condition[] }[];
  return parents.flatMap((parent) =>
    parent.conditions.map(
      ({ type, status: value, reason, message }) => `${type}=${value} ${reason}: ${message}`,
    ),
  );
}

const RESOLVED = "ResolvedRefs=True ResolvedRefs: everything that the rules name was found";
const PAUSE = "there can be no pause between tries";

test("a route that is served says by which listeners", () => {
  expect(conditions([FINE])).toEqual([
    "Accepted=True Accepted: attached to Gateway default/gw by http",
    RESOLVED,
  ]);
});

test("a route with a rule that can't be served is accepted in part", () => {
  expect(conditions([FINE, REFUSED])).toEqual([
    "Accepted=True Accepted: attached to Gateway default/gw by http",
    RESOLVED,
    `PartiallyInvalid=True UnsupportedValue: Dropped Rule named: spec.rules[1].retry.backoff: ${PAUSE}`,
  ]);
});

test("a route without any rule that can be served is not accepted", () => {
  expect(conditions([REFUSED])).toEqual([
    `Accepted=False UnsupportedValue: spec.rules[0].retry.backoff: ${PAUSE}`,
    RESOLVED,
  ]);
});

test("a problem of the whole route comes before those of rules", () => {
  const [accepted] = conditions([REFUSED], { hostnames: ["10.0.0.1"] });
  expect(accepted).toMatch(/^Accepted=False UnsupportedValue: spec\.hostnames\[0\]: /);
});

test("references that can't be resolved leave the route accepted", () => {
  const missing = { backendRefs: [{ name: "none", port: 80 }] };
  expect(conditions([missing])).toEqual([
    "Accepted=True Accepted: attached to Gateway default/gw by http",
    "ResolvedRefs=False BackendNotFound: spec.rules[0].backendRefs[0]: there is no Service default/none",
  ]);
});

test("a listener that can't serve is named as such", () => {
  const listeners = [
    { name: "https", port: 443, protocol: "HTTPS" },
    { name: "http", port: 80, protocol: "HTTP" },
  ];
  const more = { parentRefs: [{ name: "gw", sectionName: "https" }] };
  expect(conditions([FINE], more, listeners)[0]).toBe(
    "Accepted=True Accepted: attached to Gateway default/gw by https, which can't serve: see its status",
  );
});

describe("a status without parents", () => {
  const none: ObjectStatus = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { namespace: "default", name: "r" },
    status: { parents: [] },
  };

  const other: ObjectStatus = { ...none, metadata: { namespace: "default", name: "other" } };

  /** Of a route whose status in the cluster has one entry. */
  function writtenBy(controllerName: string): Resources {
    const parents = [{ parentRef: { name: "gw" }, controllerName, conditions: [] }];
    const [, text = ""] = httpRoute("r", [FINE]).split("---\n");
    const yaml = JSON.stringify({ ...(JSON.parse(text) as object), status: { parents } });
    return resourcesFromYaml(yaml).resources;
  }

  const ours = writtenBy(DEFAULT_OPTIONS.controllerName);
  const theirs = writtenBy("example.com/other");

  it("is written to remove an old entry of ours, and only then", () => {
    const all = [none, other];
    const reported = new ReportedStatuses();
    expect(reported.of(all, ours, DEFAULT_OPTIONS)).toEqual([none]);
    expect(reported.of(all, theirs, DEFAULT_OPTIONS)).toEqual([]);
    expect(reported.of(all, ours, DEFAULT_OPTIONS)).toEqual([none]);
    expect(reported.of([other], ours, DEFAULT_OPTIONS)).toEqual([]);
    expect(reported.of([none], ours, DEFAULT_OPTIONS)).toEqual([none]);
  });

  it("leaves the list as it is while nothing is dropped", () => {
    const all = [none];
    expect(new ReportedStatuses().of(all, ours, DEFAULT_OPTIONS)).toBe(all);
  });
});
