import { fc } from "../../../../support/fast-check.js";
import type { GrpcRoute, HttpRoute } from "../../../../../src/api/gateway.js";
import {
  matchesSize,
  routeSizeProblem,
} from "../../../../../src/translate/gateway/routes/route-size.js";
import { MOST_BINDINGS, MOST_BINDING_TEXT } from "../../../../../src/translate/size-limits.js";

type Match = NonNullable<NonNullable<HttpRoute["spec"]["rules"]>[number]["matches"]>[number];

function routeWith(rules: readonly (readonly Match[] | undefined)[]): HttpRoute {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { namespace: "default", name: "web" },
    spec: { rules: rules.map((matches) => (matches === undefined ? {} : { matches })) },
  };
}

test("a route within the limits of the API is never too large on two listeners", () => {
  const matches = fc.array(fc.nat({ max: 1023 }), { minLength: 1, maxLength: 128 });
  fc.assert(
    fc.property(matches, fc.integer({ min: 1, max: 16 }), (lengths, hosts) => {
      const given = lengths.map((length) => ({ path: { value: `/${"a".repeat(length)}` } }));
      expect(routeSizeProblem(matchesSize(routeWith([given])), 2 * hosts)).toBeUndefined();
    }),
    { examples: [[Array.from({ length: 128 }, () => 1023), 16]] },
  );
});

test("a rule without matches is bound once", () => {
  expect(matchesSize(routeWith([undefined, [], [{}, {}]])).matches).toBe(4);
});

test("a route may have so many bindings, and not one more", () => {
  expect(routeSizeProblem({ matches: 1, text: 0 }, MOST_BINDINGS)).toBeUndefined();
  expect(routeSizeProblem({ matches: 1, text: 0 }, MOST_BINDINGS + 1)).toContain("16385 bindings");
});

test("its paths and conditions may be so long, and no longer", () => {
  const matches = [
    { path: { value: "/ab" }, method: "GET" },
    { headers: [{ name: "x", value: "yz" }], queryParams: [{ name: "q", value: "r" }] },
  ];
  expect(matchesSize(routeWith([matches]))).toEqual({ matches: 2, text: 11 });
  expect(routeSizeProblem({ matches: 1, text: MOST_BINDING_TEXT }, 1)).toBeUndefined();
  expect(routeSizeProblem({ matches: 1, text: MOST_BINDING_TEXT + 1 }, 1)).toContain(
    "4194305 characters",
  );
});

test("a GRPCRoute's services, methods and headers count too", () => {
  const method = { service: "abc", method: "de" };
  const route: GrpcRoute = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GRPCRoute",
    metadata: { namespace: "default", name: "web" },
    spec: { rules: [{ matches: [{ method, headers: [{ name: "x", value: "yz" }] }, {}] }, {}] },
  };
  expect(matchesSize(route)).toEqual({ matches: 3, text: 8 });
});
