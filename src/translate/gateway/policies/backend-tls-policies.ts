import { createHash } from "node:crypto";
import type { BackendTlsPolicy, Gateway } from "../../../api/gateway.js";
import type { BackendTls, SubjectAltName } from "../../../model/upstream.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { getOrInsert } from "../../../support/collections.js";
import { filled } from "../../../support/json-object.js";
import { type Result, ok, problem } from "../../../support/result.js";
import type { TranslateContext } from "../../context.js";
import { type Place, nameOf, placeOf, within } from "../../place.js";
import { compareAge } from "../../precedence.js";
import { invalidBackend } from "../../reasons.js";
import { bundleOf, readCertificateAuthorities } from "../certificate-authorities.js";
import { type Fact, type Key, objectKey } from "../../keys.js";
import type { BackendPort, BackendTlsChoice, GatewayState } from "../model.js";
import { HOLDS, type Verdict, refused } from "../verdict.js";
import { type TlsContent, withoutTlsShare } from "./backend-tls-shares.js";
import {
  type PolicyTarget,
  TargetIndex,
  conflictMessage,
  gatewayRef,
  policyStatus,
  shownTarget,
  targetsOf,
} from "./policy-targets.js";

/**
 * BackendTLSPolicies: which one applies to a Service port, and through which Gateways each is used. A port with a policy is never reached
 * in another way: if the policy can't be used, the port can't be used either.
 */
export class BackendTlsPolicies {
  readonly #policies: readonly BackendTlsPolicy[];
  readonly #readings: Map<BackendTlsPolicy, PolicyReading>;
  readonly #index: TargetIndex<BackendTlsPolicy>;
  /** By policy and the id of the certificate that Gateways show. */
  readonly #choices = new Map<BackendTlsPolicy, Map<string | undefined, BackendTlsChoice>>();
  /** Ids of the certificates that Gateways show. */
  readonly #certificates: ReadonlyMap<Gateway, string | undefined>;

  constructor(states: readonly GatewayState[], context: TranslateContext) {
    this.#certificates = new Map(
      states.map(({ gateway, clientCertificate }) => [gateway, clientCertificate]),
    );
    const policies = context.resources.list("BackendTLSPolicy");
    this.#policies = policies;
    this.#readings = new Map(policies.map((policy) => [policy, readPolicy(policy, context)]));
    this.#index = new TargetIndex(policies);
    for (const policy of policies) this.#reportTargets(policy, context);
    this.#share(context);
  }

  /** A policy without a share can't be used. */
  #share({ resources, diagnostics }: TranslateContext): void {
    const inForce = [...this.#index.winners].flatMap(({ target, policy }) => {
      const { namespace, name } = target;
      const content = this.#readings.get(policy)?.content;
      const isUsed = isService(target) && resources.get("Service", namespace, name) !== undefined;
      return isUsed && content ? [[policy, content] as const] : [];
    });
    for (const [policy, message] of withoutTlsShare(new Map(inForce))) {
      const resolved = this.#readings.get(policy)?.resolved ?? HOLDS;
      this.#readings.set(policy, { accepted: refused("NoResources", message), resolved });
      const report = { code: "BACKEND_TLS_OVER_BUDGET", message, ...placeOf(policy) } as const;
      diagnostics.report(report);
    }
  }

  choose(gateways: readonly Gateway[], backend: BackendPort): BackendTlsChoice {
    const policy = this.#winner(backend);
    if (policy === undefined) return this.#withoutPolicy(gateways, backend);
    const choices = getOrInsert(this.#choices, policy, () => new Map());
    const certificate = this.#clientCertificate(gateways);
    return getOrInsert(choices, certificate, () => this.#byPolicy(policy, certificate));
  }

  /** What `choose` depends on, except for the Gateways' certificates. */
  get facts(): Iterable<Fact> {
    const targets = [...this.#index.winners].filter(({ target }) => isService(target));
    return targets.map(({ target, policy }): Fact => {
      const content = this.#readings.get(policy)?.content;
      return [objectKey(target), [target.section, nameOf(policy), content]];
    });
  }

  /** `gatewaysAsking`: those whose routes, listeners or streams have asked for the TLS to a Service. */
  statuses(
    gatewaysAsking: (service: Key) => readonly Gateway[],
    context: TranslateContext,
  ): readonly ObjectStatus[] {
    return this.#policies.flatMap((policy) => {
      const { accepted = HOLDS, resolved = HOLDS } = this.#readings.get(policy) ?? {};
      const used = serviceTargets(policy).map((target) => {
        return { target, by: new Set(gatewaysAsking(objectKey(target))) };
      });
      const ancestors = inOrder(policy, new Set(used.flatMap(({ by }) => [...by]))).map(
        (gateway) => ({
          ref: gatewayRef(gateway),
          verdicts: () => ({
            Accepted: accepted.ok
              ? this.#inForce(
                  policy,
                  used.flatMap(({ target, by }) => (by.has(gateway) ? target : [])),
                  context,
                )
              : accepted,
            ResolvedRefs: resolved,
          }),
        }),
      );
      return policyStatus(policy, ancestors, context);
    });
  }

  #winner({ namespace, service, portName }: BackendPort): BackendTlsPolicy | undefined {
    if (this.#index.isEmpty) return undefined;
    const target = { group: "", kind: "Service", namespace, name: service };
    const section =
      portName === undefined ? undefined : this.#index.winner({ ...target, section: portName });
    return section ?? this.#index.winner(target);
  }

  #byPolicy(policy: BackendTlsPolicy, certificate: string | undefined): BackendTlsChoice {
    const content = this.#readings.get(policy)?.content;
    if (content === undefined) return refusedBy(policy.metadata);
    return tlsWith({
      ...content,
      ...(certificate !== undefined && { clientCertificate: certificate }),
    });
  }

  #withoutPolicy(gateways: readonly Gateway[], { tls }: BackendPort): BackendTlsChoice {
    const certificate = tls === true ? this.#clientCertificate(gateways) : undefined;
    return certificate === undefined
      ? { kind: "none" }
      : tlsWith({ authorities: { kind: "none" }, clientCertificate: certificate });
  }

  /** A Gateway whose certificate can't be used shows none; backends that require one refuse the connection. */
  #clientCertificate([shownBy]: readonly Gateway[]): string | undefined {
    return shownBy && this.#certificates.get(shownBy);
  }

  /** Whether the policy is in force for one of the Services. */
  #inForce(
    policy: BackendTlsPolicy,
    services: readonly PolicyTarget[],
    context: TranslateContext,
  ): Verdict {
    const verdicts = services.map((target) => this.#targetVerdict(policy, target, context));
    return verdicts.find(({ ok: holds }) => holds) ?? verdicts[0] ?? HOLDS;
  }

  #targetVerdict(
    policy: BackendTlsPolicy,
    target: PolicyTarget,
    { resources }: TranslateContext,
  ): Verdict {
    const winner = this.#index.winner(target);
    if (winner !== undefined && winner !== policy) {
      return refused("Conflicted", conflictMessage(target, winner));
    }
    const { namespace, name, section } = target;
    const service = resources.get("Service", namespace, name);
    if (service === undefined) {
      return refused("TargetNotFound", `there is no Service ${namespace}/${name}`);
    }
    const ports = service.spec?.ports ?? [];
    return section === undefined || ports.some((port) => port.name === section)
      ? HOLDS
      : refused("TargetNotFound", `Service ${namespace}/${name} has no port named ${section}`);
  }

  #reportTargets(policy: BackendTlsPolicy, context: TranslateContext): void {
    const { diagnostics } = context;
    for (const [i, target] of targetsOf(policy).entries()) {
      const place = placeOf(policy, "spec", "targetRefs", i);
      if (!isService(target)) {
        const message = `a BackendTLSPolicy is for Services, not for ${shownTarget(target)}`;
        diagnostics.report({ code: "POLICY_TARGET_UNSUPPORTED", message, ...place });
        continue;
      }
      const verdict = this.#targetVerdict(policy, target, context);
      if (verdict.ok) continue;
      const code = verdict.reason === "Conflicted" ? "POLICY_CONFLICT" : "POLICY_TARGET_NOT_FOUND";
      diagnostics.report({ code, message: verdict.message, ...place });
    }
  }
}

function tlsWith(content: Omit<BackendTls, "id">): BackendTlsChoice {
  const { hostname, names, authorities, clientCertificate } = content;
  const id = `t${digestOf([authorities, clientCertificate])}-${digestOf([hostname, names])}`;
  return { kind: "tls", tls: { id, ...content } };
}

function digestOf(content: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 32);
}

/**
 * Gateways of the policy's own namespace come first, so that other ones can't take their places in a status that holds sixteen; then
 * older ones.
 */
function inOrder(policy: BackendTlsPolicy, gateways: Iterable<Gateway>): readonly Gateway[] {
  const isOther = ({ metadata }: Gateway): number =>
    metadata.namespace === policy.metadata.namespace ? 0 : 1;
  return [...gateways].sort((a, b) => isOther(a) - isOther(b) || compareAge(a, b));
}

function serviceTargets(policy: BackendTlsPolicy): readonly PolicyTarget[] {
  return targetsOf(policy).filter(isService);
}

function isService({ group, kind }: PolicyTarget): boolean {
  return group === "" && kind === "Service";
}

function refusedBy({ namespace, name }: BackendTlsPolicy["metadata"]): BackendTlsChoice {
  const what = `BackendTLSPolicy ${namespace}/${name} can't be used`;
  return { kind: "refused", refuse: invalidBackend(what) };
}

interface PolicyReading {
  /** Absent: no connection may be made. The client certificate is added for each Gateway. */
  readonly content?: TlsContent;
  /** Invalid, NoValidCACertificate. */
  readonly accepted: Verdict;
  /** InvalidKind, InvalidCACertificateRef. */
  readonly resolved: Verdict;
}

/** Reads the policy's validation, and reports the parts that can't be used. */
function readPolicy(policy: BackendTlsPolicy, context: TranslateContext): PolicyReading {
  if (policy.closed !== undefined) {
    const message = `the policy can't be used: ${policy.closed.message}`;
    return { accepted: refused("Invalid", message), resolved: HOLDS };
  }
  const { hostname } = policy.spec.validation;
  const place = placeOf(policy, "spec", "validation");
  const { authorities, accepted, resolved } = readAuthorities(policy, place, context);
  const names = readNames(policy, place, context);
  for (const key of Object.keys(policy.spec.options ?? {})) {
    const message = `option ${key} of a BackendTLSPolicy is not supported`;
    const at = placeOf(policy, "spec", "options", key);
    context.diagnostics.report({ code: "SETTING_UNSUPPORTED", message, ...at });
  }
  if (authorities === undefined) return { accepted, resolved };
  if (!names.ok) return { accepted: refused("Invalid", names.problem), resolved };
  return {
    content: { hostname, ...filled("names", otherNames(names.value, hostname)), authorities },
    accepted,
    resolved,
  };
}

/** None if the list says no more than the hostname does. */
function otherNames(names: readonly SubjectAltName[], hostname: string): readonly SubjectAltName[] {
  const [first, ...more] = names;
  return first?.[0] === "hostname" && first[1] === hostname && more.length === 0 ? [] : names;
}

/** A reference that can't be used does not affect the others (Gateway API, BackendTLSPolicyValidation.caCertificateRefs). */
function readAuthorities(
  { metadata, spec }: BackendTlsPolicy,
  place: Place,
  context: TranslateContext,
): Omit<PolicyReading, "content"> & { readonly authorities?: BackendTls["authorities"] } {
  const { caCertificateRefs: refs = [], wellKnownCACertificates: wellKnown } = spec.validation;
  if (refs.length === 0) return readWellKnown(wellKnown, place, context);
  const found = refs.map((ref) =>
    readCertificateAuthorities(ref, metadata.namespace, context.resources),
  );
  const problems = found.flatMap((each) => (each.ok ? [] : each));
  for (const [i, each] of found.entries()) {
    if (each.ok) continue;
    const field = each.reason === "InvalidKind" ? "kind" : "name";
    report(each.message, within(place, "caCertificateRefs", i, field), context);
  }
  const [first] = problems;
  const messages = problems.map(({ message }) => message).join("; ");
  const resolved = first === undefined ? HOLDS : refused(first.reason, messages);
  const pem = bundleOf(found.flatMap((each) => (each.ok ? each.certificates : [])));
  return pem === undefined
    ? { accepted: refused("NoValidCACertificate", messages), resolved }
    : { authorities: { kind: "pem", pem }, accepted: HOLDS, resolved };
}

function readWellKnown(
  name: string | undefined,
  place: Place,
  context: TranslateContext,
): ReturnType<typeof readAuthorities> {
  if (name === "System") {
    return { authorities: { kind: "system" }, accepted: HOLDS, resolved: HOLDS };
  }
  const message =
    name === undefined
      ? "the policy names no certificate authorities"
      : `wellKnownCACertificates ${JSON.stringify(name)} is not known; System is`;
  report(message, within(place, "wellKnownCACertificates"), context);
  return { accepted: refused("Invalid", message), resolved: HOLDS };
}

/** A name of an unknown type could be the only one that must match, so without it the policy can't be used. */
function readNames(
  { spec }: BackendTlsPolicy,
  place: Place,
  context: TranslateContext,
): Result<readonly SubjectAltName[]> {
  const value: SubjectAltName[] = [];
  const problems: string[] = [];
  for (const [i, { type, hostname, uri }] of (spec.validation.subjectAltNames ?? []).entries()) {
    if (type === "Hostname" && hostname !== undefined) value.push(["hostname", hostname]);
    else if (type === "URI" && uri !== undefined) value.push(["uri", uri]);
    else {
      const message = `subjectAltNames[${String(i)}] is no Hostname and no URI`;
      report(message, within(place, "subjectAltNames", i), context);
      problems.push(message);
    }
  }
  const [first] = problems;
  return first === undefined ? ok(value) : problem(first);
}

function report(message: string, place: Place, { diagnostics }: TranslateContext): void {
  diagnostics.report({ code: "BACKEND_TLS_INVALID", message, ...place });
}
