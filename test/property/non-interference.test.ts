/**
 * Objects of one namespace change nothing for requests that objects of another serve or refuse: not the route, its auth, the
 * certificate nor a redirect. The exceptions are those of docs/operations.md. ALBC_LAW_RUNS is the number of worlds,
 * ALBC_LAW_SEED repeats a run.
 */
import { selfSigned } from "../../e2e/harness/certificates.js";
import { compile } from "../../src/compile.js";
import type { Candidate } from "../../src/explain/candidates.js";
import type { Explanation } from "../../src/explain/explain.js";
import { explain } from "../../src/explain/explain.js";
import { readPolicy } from "../../src/explain/read-policy.js";
import { parseRequest } from "../../src/explain/request.js";
import { resourcesFromObjects } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/options.js";
import type { PolicyDocument } from "../../src/render/policy/policy-document.js";
import { contentsOf } from "../../src/render/rendered-file.js";
import { ANNOTATIONS } from "../../src/translate/ingress/annotation-table.js";
import { ORIGIN_ANNOTATIONS } from "../../src/translate/ingress/origin-annotations.js";
import { fc } from "../support/fast-check.js";
import type { Asked, Claim } from "../support/tenants/claims.js";
import {
  ageOf,
  claimsOf,
  comesBefore,
  hostsOf,
  keysOf,
  owners,
  servedOf,
  specOf,
} from "../support/tenants/claims.js";
import { ingressOf, ORIGIN_SAMPLES, PATTERNS, SAMPLES } from "../support/tenants/ingresses.js";
import type { Manifest } from "../support/tenants/manifest.js";
import { foundation, operator } from "../support/tenants/operator.js";

const RUNS = Number(process.env["ALBC_LAW_RUNS"] ?? 400);
const SEED = process.env["ALBC_LAW_SEED"];
/** Milliseconds; a busy machine needs a tenth of a second for each world. */
const PATIENCE = 60_000 + RUNS * 500;

const ASKED: readonly Asked[] = ["a", "b", "c", "d"].flatMap((name) =>
  ["/", "/a", "/a/b", "/A/c", "/ab", "/health", "/health/x", "/x"].map((path) => ({
    host: `${name}.shared.example`,
    path,
  })),
);

/** What a client sees of a request, and what the gateway does for it. */
interface Served {
  readonly explanation: Explanation;
  readonly seen: {
    readonly route: unknown;
    readonly auths: readonly unknown[];
    readonly certificate: string;
    readonly redirect: unknown;
    readonly answer: unknown;
  };
}

function policyOf(objects: readonly Manifest[]): PolicyDocument {
  const { resources } = resourcesFromObjects(objects);
  const { files } = compile(resources, DEFAULT_OPTIONS);
  const file = files.find(({ path }) => path === "policy.json");
  if (file === undefined) throw new Error("there is no policy");
  return readPolicy(contentsOf(file));
}

function serve(policy: PolicyDocument, scheme: string, { host, path }: Asked): Served {
  const request = parseRequest({
    method: "GET",
    url: `${scheme}://${host}${path}`,
    headers: [],
    client: "192.0.2.1",
  });
  if (!request.ok) throw new Error(request.problem);
  const explanation = explain(policy, request.value);
  const { route, answer, server = "" } = explanation;
  const { redirect, ...rest } = policy.routes[route?.id ?? ""] ?? {};
  const files = keysOf(host).map((key) => policy.certificates[`${server}|${key}`]);
  const file = files.find((each) => each !== undefined);
  // An empty one stands for the server's default.
  const certificate = file === "" ? files.at(-1) : file;
  return {
    explanation,
    seen: {
      route: rest,
      auths: (route?.auth ?? []).map(({ id }) => policy.auths[id]),
      certificate: certificate ?? "",
      redirect,
      answer,
    },
  };
}

describe("the law's tables", () => {
  it("have a value for every annotation", () => {
    const without = ANNOTATIONS.filter(
      (row) => row.supported && !SAMPLES.some((text) => row.type.parse(text).ok),
    );
    expect(without.map(({ name }) => name)).toEqual([]);
    expect(Object.keys(ORIGIN_SAMPLES).sort()).toEqual(
      ORIGIN_ANNOTATIONS.map(({ key }) => key).sort(),
    );
  });
});

test(
  "objects of one namespace change nothing for another's requests",
  async () => {
    const [tls, other] = await Promise.all([
      selfSigned("*.shared.example", "a.shared.example"),
      selfSigned("*.shared.example", "b.shared.example"),
    ]);
    const common = [...foundation("victim", tls), ...foundation("tenant", other)];
    fc.assert(
      fc.property(operator, several("victim"), several("tenant"), (given, victims, tenants) => {
        const before = policyOf([...common, ...given, ...victims]);
        const after = policyOf([...common, ...given, ...victims, ...tenants]);
        const takes = (all: readonly Manifest[]): readonly Manifest[] =>
          servedOf(all, given.length > 0);
        const worlds = { own: [...given, ...takes(victims)], tenants: takes(tenants) };
        for (const scheme of ["http", "https"]) {
          for (const asked of ASKED) {
            const was = serve(before, scheme, asked);
            if (was.explanation.route === undefined) continue;
            const allowed = allowance(was, asked, worlds);
            if (allowed === "everything") continue;
            const is = serve(after, scheme, asked);
            expect({ scheme, ...asked, ...held(is, allowed) }).toEqual({
              scheme,
              ...asked,
              ...held(was, allowed),
            });
          }
        }
      }),
      { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) },
    );
  },
  PATIENCE,
);

function several(namespace: string): fc.Arbitrary<readonly Manifest[]> {
  return fc.uniqueArray(ingressOf(namespace), {
    minLength: 1,
    maxLength: 3,
    selector: ({ metadata }) => metadata.name,
  });
}

interface Worlds {
  readonly own: readonly Manifest[];
  readonly tenants: readonly Manifest[];
}

type Allowance = "everything" | { readonly certificate: boolean; readonly redirect: boolean };

/** What of the outcome the list of exceptions lets the tenant change. */
function allowance({ explanation }: Served, asked: Asked, worlds: Worlds): Allowance {
  const chosen = explanation.candidates.find(({ outcome }) => outcome.kind === "chosen");
  const [kind, namespace, name] = chosen?.source ?? [];
  const object = worlds.own.find(
    (each) =>
      each.kind === kind && each.metadata.namespace === namespace && each.metadata.name === name,
  );
  if (chosen === undefined || object === undefined) throw new Error("the route has no object");
  const host = keysOf(asked.host).indexOf(chosen.host);
  const mine = { host, ...pathClaim(chosen), age: ageOf(object) };
  if (isTaken(mine, object, asked, worlds)) return "everything";
  return ownership(chosen.host, object, asked, worlds);
}

/** By a narrower host or path, or by an older object. */
function isTaken(mine: Claim, object: Manifest, asked: Asked, { own, tenants }: Worlds): boolean {
  const claims = claimsOf(tenants, asked);
  // An Ingress stands where a Rule of priority 5 does.
  const { priority = 5 } = specOf(object);
  if (priority !== 5) return priority > 5 && claims.length > 0;
  const place = widest(mine, asked, own);
  return claims.some((claim) => comesBefore(claim, place));
}

/** What the owner of a host decides. */
function ownership(
  chosen: string,
  object: Manifest,
  { host }: Asked,
  { own, tenants }: Worlds,
): Allowance {
  const keys = keysOf(host);
  const owned = owners([...own, ...tenants]);
  const isTenants = (key: string): boolean => owned.get(key)?.metadata.namespace === "tenant";
  const isOwner = keys.slice(0, keys.indexOf(chosen) + 1).some(isTenants);
  const isBelow = tenants.some((each) => isOlderAbove(each, keys, owned.get(host)));
  const names = (specOf(object).rules ?? []).map(({ host: named = "" }) => named);
  // A further name is one only while no older object has it, and redirects as the host of the rule does.
  const isAlias = object.kind === "Ingress" && !names.includes(chosen);
  if (isAlias && isTenants(chosen)) return "everything";
  const ownsRule = isBelow || (isAlias ? names : [chosen]).some(isTenants);
  if (ownsRule && choosesPorts(object, own)) return "everything";
  return { certificate: isOwner || isBelow, redirect: ownsRule };
}

/** Whether an object is for all names that a name is below, and older than what names it. */
function isOlderAbove(
  object: Manifest,
  [, wildcard = ""]: readonly string[],
  named: Manifest | undefined,
): boolean {
  const hosts = hostsOf(object);
  const isAbove = hosts.length === 0 || hosts.includes("") || hosts.includes(wildcard);
  return isAbove && (named === undefined || ageOf(object) < ageOf(named));
}

/** Ports are chosen by whether the host has TLS. */
function choosesPorts({ metadata }: Manifest, own: readonly Manifest[]): boolean {
  const isStrategy = own.some(({ kind }) => kind === "ALB2");
  return isStrategy || metadata.annotations?.["alb.networking.cpaas.io/enable-https"] !== undefined;
}

function pathClaim({ path, host, source }: Candidate): Pick<Claim, "kind" | "literal"> {
  if (path === undefined) return { kind: host === "" ? 3 : 2, literal: 0 };
  const [kind, text] = path;
  if (source?.[3].includes("app-root") === true) return { kind: 1, literal: -1 };
  if (kind === "exact") return { kind: 0, literal: -text.length };
  const pattern = kind === "regex" ? text.replace(/^\^/, "") : text;
  return { kind: 1, literal: -(PATTERNS[pattern] ?? Math.max(1, text.length)) };
}

/** A path counts as no narrower than those of its own namespace that come before it by a priority or as patterns. */
function widest(claim: Claim, asked: Asked, own: readonly Manifest[]): Claim {
  const usesOrder = own.some(({ metadata }) =>
    Object.keys(metadata.annotations ?? {}).some((key) =>
      /rule-priority|use-regex|rewrite-target/.test(key),
    ),
  );
  if (!usesOrder) return claim;
  return claimsOf(own, asked).reduce((a, b) => (comesBefore(a, b) ? b : a), claim);
}

function held({ seen }: Served, allowed: Exclude<Allowance, "everything">): object {
  const { certificate, redirect, answer, ...rest } = seen;
  return {
    ...rest,
    ...(!allowed.certificate && { certificate }),
    ...(!allowed.redirect && { redirect }),
    ...(!allowed.certificate && !allowed.redirect && { answer }),
  };
}
