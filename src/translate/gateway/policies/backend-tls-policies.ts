import { createHash } from "node:crypto";
import type { BackendTlsPolicy, Gateway } from "../../../api/gateway.js";
import type { BackendTls } from "../../../model/upstream.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { compareIds, getOrInsert, memoized } from "../../../support/collections.js";
import type { AuthContext } from "../../auth/auth-policies.js";
import { nameOf, placeOf } from "../../place.js";
import { compareAge } from "../../precedence.js";
import { invalidBackend } from "../../reasons.js";
import { backendClientCertificate } from "../certificate-reference.js";
import { policiesKey } from "../keys.js";
import type { Fact } from "../keys.js";
import type { AlikeGateways, BackendPort, BackendTlsChoice } from "../model.js";
import { HOLDS, refused } from "../verdict.js";
import type { Verdict } from "../verdict.js";
import type { BackendTlsReading } from "./backend-tls-content.js";
import { readBackendTlsPolicy } from "./backend-tls-content.js";
import { conflictMessage, gatewayRef, policyStatus } from "./policy-status.js";
import type { PolicyTarget } from "./policy-targets.js";
import {
  ServiceUsers,
  TargetIndex,
  refusedPolicyOf,
  shownTarget,
  targetOf,
  targetRefs,
} from "./policy-targets.js";

const NONE: BackendTlsChoice = { kind: "none" };

/**
 * BackendTLSPolicies: which one a Service port is reached by, and through which Gateways each is used. A port that has one is
 * never reached in another way: when the policy can't be used, neither can the port.
 */
export class BackendTlsPolicies {
  readonly #context: AuthContext;
  readonly #readings: ReadonlyMap<BackendTlsPolicy, BackendTlsReading>;
  readonly #index: TargetIndex<BackendTlsPolicy>;
  readonly #chosen = new Map<string, BackendTls>();
  /** By policy and the id of the certificate that Gateways show. */
  readonly #choices = new Map<BackendTlsPolicy, Map<string | undefined, BackendTlsChoice>>();
  readonly #certificates = memoized((gateway: Gateway) => {
    const found = backendClientCertificate(gateway, this.#context);
    return found?.ok === true ? found.certificate.id : undefined;
  });
  readonly #users = new ServiceUsers();

  constructor(context: AuthContext) {
    this.#context = context;
    const policies = context.resources.list("BackendTLSPolicy");
    this.#readings = new Map(
      policies.map((policy) => [policy, readBackendTlsPolicy(policy, context)]),
    );
    this.#index = new TargetIndex(policies);
    for (const policy of policies) this.#reportTargets(policy);
  }

  choose(gateways: AlikeGateways, backend: BackendPort): BackendTlsChoice {
    if (this.#readings.size > 0) this.#users.add(gateways, backend);
    const policy = this.#winner(backend);
    if (policy === undefined) return this.#withoutPolicy(gateways, backend);
    const choices = getOrInsert(this.#choices, policy, () => new Map());
    const certificate = this.#clientCertificate(gateways);
    return getOrInsert(choices, certificate, () => this.#byPolicy(policy, certificate));
  }

  /** What `choose` depends on, but for the Gateways' certificates. */
  get facts(): Iterable<Fact> {
    const targets = [...this.#index.winners].filter(({ target }) => isService(target));
    return targets.map(({ target, policy }): Fact => {
      const content = this.#readings.get(policy)?.content;
      return [policiesKey(target), [target.section, nameOf(policy), content]];
    });
  }

  statuses(): readonly ObjectStatus[] {
    return this.#context.resources.list("BackendTLSPolicy").flatMap((policy) => {
      const gateways = this.#gatewaysOf(policy);
      const ancestors = gateways.map((gateway) => ({
        ref: gatewayRef(gateway),
        verdicts: () => this.#verdicts(policy, gateway),
      }));
      return policyStatus(policy, ancestors, this.#context);
    });
  }

  collected(): readonly BackendTls[] {
    return [...this.#chosen.values()].sort(compareIds);
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
    if (content === undefined) {
      const { namespace, name } = policy.metadata;
      return refusedBy(`BackendTLSPolicy ${namespace}/${name}`);
    }
    return this.#add({
      ...content,
      ...(certificate !== undefined && { clientCertificate: certificate }),
    });
  }

  #withoutPolicy(gateways: AlikeGateways, { namespace, tls }: BackendPort): BackendTlsChoice {
    // It may be for this Service and ask for TLS.
    const unreadable = refusedPolicyOf("BackendTLSPolicy", namespace, this.#context);
    if (unreadable !== undefined) {
      return refusedBy(`BackendTLSPolicy ${unreadable.namespace}/${unreadable.name}`);
    }
    const certificate = tls === true ? this.#clientCertificate(gateways) : undefined;
    if (certificate === undefined) return NONE;
    return this.#add({
      authorities: { kind: "none" },
      clientCertificate: certificate,
    });
  }

  /** A Gateway whose certificate can't be used shows none: backends that want one refuse the connection. */
  #clientCertificate([shownBy]: AlikeGateways): string | undefined {
    return shownBy && this.#certificates(shownBy);
  }

  #add(content: Omit<BackendTls, "id" | "inLua">): BackendTlsChoice {
    const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
    const id = `tls-${digest.slice(0, 32)}`;
    const { hostname, names, authorities } = content;
    const inLua = authorities.kind !== "none" && (names !== undefined || hostname === undefined);
    this.#chosen.set(id, { id, ...content, ...(inLua && { inLua }) });
    return { kind: "tls", id, ...(names !== undefined && { hasNames: true }) };
  }

  /**
   * The Gateways that use a Service that the policy is for: those of its namespace first, so that others can't take their places in a
   * status that holds sixteen, then older ones.
   */
  #gatewaysOf(policy: BackendTlsPolicy): readonly Gateway[] {
    const gateways = new Set(
      serviceTargets(policy).flatMap((target) => [...this.#users.of(target)]),
    );
    const isOther = ({ metadata }: Gateway): number =>
      metadata.namespace === policy.metadata.namespace ? 0 : 1;
    return [...gateways].sort((a, b) => isOther(a) - isOther(b) || compareAge(a, b));
  }

  #verdicts(policy: BackendTlsPolicy, gateway: Gateway): Readonly<Record<string, Verdict>> {
    const reading = this.#readings.get(policy);
    return {
      Accepted:
        reading?.accepted.ok === true ? this.#inForce(policy, gateway) : acceptedOf(reading),
      ResolvedRefs: reading?.resolved ?? HOLDS,
    };
  }

  /** Whether the policy is in force for one of the Services that the Gateway uses. */
  #inForce(policy: BackendTlsPolicy, gateway: Gateway): Verdict {
    const verdicts = serviceTargets(policy)
      .filter((target) => this.#users.of(target).has(gateway))
      .map((target) => this.#targetVerdict(policy, target));
    return verdicts.find(({ ok }) => ok) ?? verdicts[0] ?? HOLDS;
  }

  #targetVerdict(policy: BackendTlsPolicy, target: PolicyTarget): Verdict {
    const winner = this.#index.winner(target);
    if (winner !== undefined && winner !== policy) {
      return refused("Conflicted", conflictMessage(target, winner));
    }
    const missing = this.#missing(target);
    return missing === undefined ? HOLDS : refused("TargetNotFound", missing);
  }

  #missing(target: PolicyTarget): string | undefined {
    const service = this.#context.resources.get("Service", target.namespace, target.name);
    if (service === undefined)
      return `there is no ${shownTarget({ ...target, section: undefined })}`;
    const ports = service.spec?.ports ?? [];
    return target.section === undefined || ports.some(({ name }) => name === target.section)
      ? undefined
      : `Service ${target.namespace}/${target.name} has no port named ${target.section}`;
  }

  #reportTargets(policy: BackendTlsPolicy): void {
    const { diagnostics } = this.#context;
    for (const [i, ref] of targetRefs(policy).entries()) {
      const place = placeOf(policy, "spec", "targetRefs", i);
      const target = targetOf(policy, ref);
      if (!isService(target)) {
        const message = `a BackendTLSPolicy is for Services, not for ${shownTarget(target)}`;
        diagnostics.report({ code: "POLICY_TARGET_UNSUPPORTED", message, ...place });
        continue;
      }
      const verdict = this.#targetVerdict(policy, target);
      if (verdict.ok) continue;
      const code = verdict.reason === "Conflicted" ? "POLICY_CONFLICT" : "POLICY_TARGET_NOT_FOUND";
      diagnostics.report({ code, message: verdict.message, ...place });
    }
  }
}

function acceptedOf(reading: BackendTlsReading | undefined): Verdict {
  return reading?.accepted ?? HOLDS;
}

function serviceTargets(policy: BackendTlsPolicy): readonly PolicyTarget[] {
  return targetRefs(policy)
    .map((ref) => targetOf(policy, ref))
    .filter(isService);
}

function isService({ group, kind }: PolicyTarget): boolean {
  return group === "" && kind === "Service";
}

function refusedBy(policy: string): BackendTlsChoice {
  return { kind: "refused", refuse: invalidBackend(`${policy} can't be used`) };
}
