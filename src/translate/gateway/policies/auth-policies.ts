import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { AuthPolicy } from "../../../api/auth.js";
import type { Gateway, ParentReference } from "../../../api/gateway.js";
import { byNamespaceAndName } from "../../../input/resources.js";
import { Changes, Derived, Outside, type Read } from "../../../engine/tables.js";
import { type ObjectStatus, withShortMessages } from "../../../status/object-status.js";
import { groupBy, memoized, patched } from "../../../support/collections.js";
import type { AuthContext } from "../../auth/auth-context.js";
import { authId } from "../../auth/auth-translator.js";
import { settingsOfObject } from "../../auth/methods.js";
import type { TranslateContext } from "../../context.js";
import { nameOf, placeOf, resourceRef } from "../../place.js";
import { type Fact, type Key, extensionKey, objectKey, objectName, textsOf } from "../../keys.js";
import type { ObjectTables } from "../../known-objects.js";
import { type Part, type Whole, ownContext, partOf } from "../../parts/part.js";
import type { AnyRoute, ListenerState, RouteReaders } from "../model.js";
import { HOLDS, type Verdict, refused } from "../verdict.js";
import { type TargetUsers, resolveTargets } from "./auth-policy-targets.js";
import {
  type PolicyTarget,
  TargetIndex,
  conflictMessage,
  gatewayRef,
  policyStatus,
  targetsOf,
} from "./policy-targets.js";
import { SHARED_SHAPE } from "../../../support/json-object.js";

/** What follows from the policies alone. It is computed once for a list, because most changes are of other objects. */
const ofAll = memoized((policies: readonly AuthPolicy[]) => {
  const index = new TargetIndex(policies);
  const winners = [...index.winners].map(({ target, policy }): Fact => {
    return [objectKey(target), [target.section, nameOf(policy), idsOf(policy)]];
  });
  return {
    index,
    facts: new Map([...textsOf(winners), ...policies.map(extensionText)]),
    byName: new Map(policies.map((policy) => [nameOf(policy), policy])),
  };
});

/** AuthPolicies by target, and their ids in the data plane. */
export class AuthPolicies {
  readonly index: TargetIndex<AuthPolicy>;
  /** What `ofRule` depends on. The same map for the same policies. */
  readonly facts: ReadonlyMap<Key, string>;
  readonly #byName: ReadonlyMap<string, AuthPolicy>;

  constructor({ resources }: Pick<AuthContext, "resources">) {
    const { index, facts, byName } = ofAll(resources.list("AuthPolicy"));
    this.index = index;
    this.facts = facts;
    this.#byName = byName;
  }

  find(namespace: string, name: string): AuthPolicy | undefined {
    return this.#byName.get(`AuthPolicy ${namespace}/${name}`);
  }

  /** Ids of one policy; empty: it configures nothing. The policy itself is translated when all that asks for it is known. */
  idsOf(policy: AuthPolicy): readonly string[] {
    return idsOf(policy);
  }

  /** The auth with these ids; gives why it closes its paths, or undefined. */
  translate(policy: AuthPolicy, { auth }: Pick<AuthContext, "auth">): string | undefined {
    const owner = { resource: resourceRef(policy), field: ["spec"], operator: false };
    const [problem] = auth.fromObject(policy.spec, owner).flatMap((id) => auth.invalid(id) ?? []);
    return problem;
  }

  /** Ids of the policy for a rule, by its name, or for its route; undefined: there is none. */
  ofRule(route: AnyRoute, rule: string | undefined): readonly string[] | undefined {
    const whole = targetFor(route);
    return this.#narrowest(rule === undefined ? [whole] : [{ ...whole, section: rule }, whole]);
  }

  /** Ids of the policy for a listener, its ListenerSet or its Gateway. */
  ofListener({ parent, gateway, name }: ListenerState): readonly string[] {
    const whole = targetFor(parent);
    const levels = [{ ...whole, section: name }, whole, targetFor(gateway)];
    return this.#narrowest(levels) ?? [];
  }

  /** Ids of the policy of the first level that has one. */
  #narrowest(levels: readonly PolicyTarget[]): readonly string[] | undefined {
    if (this.index.isEmpty) return undefined;
    for (const level of levels) {
      const policy = this.index.winner(level);
      if (policy !== undefined) return this.idsOf(policy);
    }
    return undefined;
  }
}

/** Of thousands of policies few are new. */
const idsOf = memoized((policy: AuthPolicy): readonly string[] =>
  settingsOfObject(policy.spec, []) === undefined ? [] : [authId(resourceRef(policy))],
);

/** The only fact of its key. */
const extensionText = memoized((policy: AuthPolicy): readonly [Key, string] => {
  const { namespace, name } = policy.metadata;
  return [extensionKey(namespace, name), JSON.stringify(idsOf(policy))];
});

function targetFor({ kind, metadata }: AnyRoute | ListenerState["parent"]): PolicyTarget {
  return { group: GATEWAY_GROUP, kind, namespace: metadata.namespace, name: metadata.name };
}

/** The translation of a policy. */
interface PolicyPart extends Part {
  readonly policy: AuthPolicy;
  /** One, or none. */
  readonly statuses: readonly ObjectStatus[];
}

/** What uses policies. */
interface PolicyUsers extends TargetUsers {
  readonly routes: RouteReaders;
  /** Gateways whose routes or listeners have asked for the key. */
  readonly gatewaysAsking: (key: Key) => readonly Gateway[];
  /** Everything else that statuses read of Gateways: equal texts mean equal statuses. */
  readonly gatewaysText: string;
}

/** The key of `PolicyUsers.gatewaysText`. */
const GATEWAYS: Key = "gateways";

/** All AuthPolicies, each translated on its own, and again only when it, or something that its translation read, changed. */
export class PolicyParts {
  readonly #whole: Whole;
  readonly #objects: ObjectTables;
  /** What else has changed for policies: their targets, and who uses them. */
  readonly #uses = new Outside();
  readonly #parts: Derived<true, PolicyPart>;
  readonly #changes: Changes<PolicyPart>;
  #scope: PolicyScope | undefined;
  #gatewaysText = "";
  #all: readonly PolicyPart[] = [];

  constructor(whole: Whole, objects: ObjectTables) {
    this.#whole = whole;
    this.#objects = objects;
    this.#parts = new Derived(objects.policies, (_, read, key) => {
      const { namespace, name } = objectName(key);
      const policy = this.#scope?.context.resources.get("AuthPolicy", namespace, name);
      return this.#scope && policy && this.#partOf(policy, this.#scope, read);
    });
    this.#changes = new Changes(this.#parts);
  }

  /** The statuses of AuthPolicies; reports problems of their targets, and translates those that something uses. */
  translate(
    policies: AuthPolicies,
    users: PolicyUsers,
    context: TranslateContext,
  ): readonly ObjectStatus[] {
    this.#scope = { policies, users, context };
    this.#uses.change(users.routes.touched);
    if (users.gatewaysText !== this.#gatewaysText) this.#uses.change([GATEWAYS]);
    this.#gatewaysText = users.gatewaysText;
    this.#parts.update();
    this.#scope = undefined;
    const differences = this.#changes.take();
    this.#whole.update(differences);
    this.#all = patched(this.#all, differences, (a, b) => byNamespaceAndName(a.policy, b.policy));
    return this.#all.flatMap(({ statuses }) => statuses);
  }

  /** Reads what decides about the policy outside of its own lookups. */
  #partOf(policy: AuthPolicy, scope: PolicyScope, read: Read): PolicyPart {
    const { namespace, name } = policy.metadata;
    const targets = targetsOf(policy).map(objectKey);
    for (const key of targets) read(this.#objects.lookups, key);
    for (const key of [GATEWAYS, extensionKey(namespace, name), ...targets]) read(this.#uses, key);
    return policyPart(policy, scope, ownContext(scope.context, this.#objects, read));
  }
}

/** What policies are translated with. */
interface PolicyScope {
  readonly policies: AuthPolicies;
  readonly users: PolicyUsers;
  readonly context: TranslateContext;
}

/** A policy is accepted for an ancestor if it is in force for one of the targets that lead there. */
function policyPart(
  policy: AuthPolicy,
  { policies, users }: PolicyScope,
  own: AuthContext,
): PolicyPart {
  const { namespace, name } = policy.metadata;
  const gateways = users.gatewaysAsking(extensionKey(namespace, name)).map((gateway) => {
    return { ref: gatewayRef(gateway), verdict: HOLDS };
  });
  if (gateways.length === 0 && targetsOf(policy).length === 0) {
    const message = "no filter of a served route names it, and it has no targetRefs";
    own.diagnostics.report({ code: "POLICY_UNUSED", message, ...placeOf(policy, "spec") });
  }
  const uses = [...gateways, ...targetVerdicts(policy, policies, users, own)];
  const content = uses.some(({ verdict }) => verdict.ok)
    ? contentVerdict(policies.translate(policy, own))
    : HOLDS;
  const byAncestor = groupBy(uses, ({ ref }) => JSON.stringify(ref));
  const ancestors = [...byAncestor.values()].flatMap((entries) => {
    const entry = entries.find(({ verdict }) => verdict.ok) ?? entries[0];
    if (entry === undefined) return [];
    const { ref, verdict } = entry;
    return { ref, verdicts: () => ({ Accepted: verdict.ok ? content : verdict }) };
  });
  const statuses = policyStatus(policy, ancestors, own).map(withShortMessages);
  return { ...SHARED_SHAPE, ...partOf(own), policy, statuses };
}

/** Whether the policy is in force for its targets, for each ancestor that a target leads to. */
function targetVerdicts(
  policy: AuthPolicy,
  { index }: AuthPolicies,
  users: TargetUsers,
  { resources, diagnostics }: AuthContext,
): readonly { readonly ref: ParentReference; readonly verdict: Verdict }[] {
  return resolveTargets(policy, users, resources).flatMap((resolved, i) => {
    const { target, ancestors, problem, streams = [] } = resolved;
    const place = placeOf(policy, "spec", "targetRefs", i);
    if (streams.length > 0) {
      const message = `auth is for requests; connections are passed on without it by ${streams.join(", ")}`;
      diagnostics.report({ code: "POLICY_NOT_FOR_CONNECTIONS", message, ...place });
    }
    const winner = problem === undefined ? index.winner(target) : undefined;
    const conflict =
      winner === undefined || winner === policy
        ? undefined
        : refused("Conflicted", conflictMessage(target, winner));
    const verdict = problem ?? conflict ?? HOLDS;
    if (!verdict.ok) {
      const code = problem?.code ?? "POLICY_CONFLICT";
      diagnostics.report({ code, message: verdict.message, ...place });
    }
    return ancestors.map((ref) => ({ ref, verdict }));
  });
}

/** A policy that can't be used is in force nevertheless, and closes its targets. */
function contentVerdict(problem: string | undefined): Verdict {
  return problem === undefined
    ? HOLDS
    : refused("Invalid", `what it covers answers 503 until this is corrected: ${problem}`);
}
