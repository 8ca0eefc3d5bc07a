import type { Gateway, StreamBackendRef, StreamRoute } from "../../../api/gateway.js";
import type { StreamBackend, StreamPool } from "../../../model/stream.js";
import { getOrInsert } from "../../../support/collections.js";
import { present } from "../../../support/json-object.js";
import { type Backends, findPort, isExternalName } from "../../backends.js";
import type { TranslateContext } from "../../context.js";
import { placeOf, within } from "../../place.js";
import { type Unusable, missingPort, portReference, unusable } from "../destination.js";
import type { BackendPort, Policies } from "../model.js";
import { RouteProblems, type RuleOutcome } from "../route-problems.js";

/** What the translation of every stream route reads, and the backends that it adds to. */
export interface StreamContext extends TranslateContext {
  readonly policies: Policies;
  readonly streamBackends: Backends;
}

/** A rule, and where its connections go. */
export interface StreamPlan extends RuleOutcome {
  /** Undefined: all backends have the weight 0, so connections are closed. */
  readonly pool: StreamPool | undefined;
}

const DEFAULT_WEIGHT = 1;

/** The plans of a route's rule. Each Gateway that ends TLS has its own plan, because its client certificate is shown to the backends. */
export class StreamPlans {
  readonly #route: StreamRoute;
  readonly #context: StreamContext;
  readonly #plans = new Map<string, StreamPlan>();

  constructor(route: StreamRoute, context: StreamContext) {
    this.#route = route;
    this.#context = context;
  }

  /** Pools of the plans so far. */
  get pools(): readonly StreamPool[] {
    return [...this.#plans.values()].flatMap(({ pool }) => pool ?? []);
  }

  /** `ending`: the Gateway that ends the clients' TLS. */
  plan(ending: Gateway | undefined): StreamPlan {
    const { kind, metadata } = this.#route;
    const own = `${kind.toLowerCase()}/${metadata.namespace}/${metadata.name}`;
    const id =
      ending === undefined ? own : `${own}/${ending.metadata.namespace}/${ending.metadata.name}`;
    return getOrInsert(this.#plans, id, () => this.#make(id, ending));
  }

  #make(id: string, ending: Gateway | undefined): StreamPlan {
    const { diagnostics } = this.#context;
    const problems = new RouteProblems(diagnostics);
    const { closed, spec } = this.#route;
    // Every supported version of these kinds allows one rule.
    const [rule] = closed === undefined ? spec.rules : [];
    const place = placeOf(this.#route, "spec", "rules", 0, "backendRefs");
    const all = (rule?.backendRefs ?? []).map((ref) => ({
      weight: ref.weight ?? DEFAULT_WEIGHT,
      destination: this.#destination(ref, ending),
    }));
    const first = all.find(({ weight, destination }) => weight > 0 && destination.ok)?.destination;
    const tls = first?.ok === true ? first.tls : undefined;
    const backends = all.map(({ weight, destination }, i): StreamBackend => {
      const usable = destination.ok && destination.tls !== tls ? UNEQUAL : destination;
      if (usable.ok) return { weight, upstream: usable.upstream };
      problems.unresolvable(usable.reason, usable.message, within(place, i), usable.code);
      return { weight };
    });
    const used = backends.filter(({ weight }) => weight > 0);
    const outcome = { name: rule?.name, index: 0, problems };
    if (used.length === 0) {
      const message = "every backendRef has the weight 0";
      diagnostics.report({ code: "ROUTE_WITHOUT_BACKEND", message, ...place });
      return { ...outcome, pool: undefined };
    }
    const transport = this.#route.kind === "UDPRoute" ? "udp" : "tcp";
    return { ...outcome, pool: { id, transport, backends: used, ...present("tls", tls) } };
  }

  /** An id of an upstream, and of the TLS to it. */
  #destination(
    ref: StreamBackendRef,
    ending: Gateway | undefined,
  ): { readonly ok: true; readonly upstream: string; readonly tls: string | undefined } | Unusable {
    const { resources, streamBackends } = this.#context;
    const reference = portReference(ref, this.#route, { resources });
    if ("ok" in reference) return reference;
    const { namespace, name, port } = reference;
    const protocol = this.#route.kind === "UDPRoute" ? "UDP" : "TCP";
    const service = resources.get("Service", namespace, name);
    const found = service && findPort(service, port, protocol);
    const backend = { namespace, service: name, port, ...present("portName", found?.name) };
    // Looked up for Services that don't exist too, because the policy's status names the Gateway.
    const tls = ending && this.#tls(ending, backend);
    if (service === undefined || found === undefined || isExternalName(service)) {
      return missingPort(reference, service, protocol);
    }
    if (typeof tls === "object") return tls;
    return { ok: true, upstream: streamBackends.add({ ...reference, protocol }), tls };
  }

  /** The id of the TLS to a backend; undefined: none. */
  #tls(gateway: Gateway, backend: BackendPort): string | undefined | Unusable {
    const choice = this.#context.policies.answersOf(gateway).backendTls([gateway], backend);
    if (choice.kind === "none") return undefined;
    const policy = `the BackendTLSPolicy of Service ${backend.namespace}/${backend.service}`;
    if (choice.kind === "refused") return policyUnusable(`${policy} can't be used`);
    return choice.tls.names !== undefined
      ? policyUnusable(`${policy} has subjectAltNames, which can't be checked for a TLSRoute`)
      : choice.tls.id;
  }
}

function policyUnusable(message: string): Unusable {
  return { ...unusable("UnsupportedProtocol", message), code: "STREAM_BACKEND_TLS" };
}

const UNEQUAL = policyUnusable(
  "the backends of a rule must be reached by the same TLS: one BackendTLSPolicy for all of them, or none",
);
