import type { Gateway, StreamBackendRef, StreamRoute } from "../../../api/gateway.js";
import type { StreamBackend } from "../../../model/stream.js";
import { getOrInsert } from "../../../support/collections.js";
import { findPort, isExternalName } from "../../backends.js";
import type { StreamContext } from "./stream-builder.js";
import { isReferenceGranted } from "../../reference-grants.js";
import { placeOf, within } from "../../place.js";
import type { Place } from "../../place.js";
import type { Policies } from "../model.js";
import { RouteProblems } from "../route-problems.js";
import type { RuleOutcome } from "../routes/conditions.js";
import { missingPort, portReference, unusable } from "../destination.js";
import type { Unusable } from "../destination.js";

/** A rule, and where its connections go. */
export interface StreamPlan extends RuleOutcome {
  /** Id; absent: nowhere, they are closed. */
  readonly pool?: string;
}

const DEFAULT_WEIGHT = 1;

/** The pools of a route's rule, made when they are asked for. */
export class StreamPools {
  readonly #route: StreamRoute;
  readonly #policies: Policies;
  readonly #build: StreamContext;
  readonly #plans = new Map<string, StreamPlan>();

  constructor(route: StreamRoute, policies: Policies, build: StreamContext) {
    this.#route = route;
    this.#policies = policies;
    this.#build = build;
  }

  /** `ending`: the Gateway that ends the clients' TLS, whose BackendTLSPolicies then say how backends are reached. */
  plan(ending: Gateway | undefined): StreamPlan {
    const { kind, metadata } = this.#route;
    const own = `${kind.toLowerCase()}/${metadata.namespace}/${metadata.name}`;
    const id =
      ending === undefined ? own : `${own}/${ending.metadata.namespace}/${ending.metadata.name}`;
    return getOrInsert(this.#plans, id, () => this.#make(id, ending));
  }

  #make(id: string, ending: Gateway | undefined): StreamPlan {
    const problems = new RouteProblems(this.#build.diagnostics);
    // All versions that are read take one rule.
    const [rule] = this.#route.spec.rules;
    const place = placeOf(this.#route, "spec", "rules", 0, "backendRefs");
    const refs = (rule?.backendRefs ?? []).map((ref, i) => ({ ref, place: within(place, i) }));
    const found = refs.map(({ ref, place: at }) => ({
      weight: ref.weight ?? DEFAULT_WEIGHT,
      place: at,
      destination: this.#destination(ref, ending),
    }));
    const tls = found.find(({ weight, destination }) => weight > 0 && destination.ok)?.destination;
    const common = tls?.ok === true ? tls.tls : undefined;
    const backends = found.map(({ weight, destination, place: at }): StreamBackend => {
      const usable = destination.ok && destination.tls !== common ? UNEQUAL : destination;
      if (usable.ok) return { weight, upstream: usable.upstream };
      problems.unresolvable(usable.reason, usable.message, at, usable.code);
      return { weight };
    });
    const outcome = { name: rule?.name, index: 0, problems };
    return { ...outcome, ...this.#pool(id, backends, common, place) };
  }

  #pool(
    id: string,
    all: readonly StreamBackend[],
    tls: string | undefined,
    place: Place,
  ): Pick<StreamPlan, "pool"> {
    const backends = all.filter(({ weight }) => weight > 0);
    if (backends.length === 0) {
      const message = "every backendRef has the weight 0";
      this.#build.diagnostics.report({ code: "ROUTE_WITHOUT_BACKEND", message, ...place });
      return {};
    }
    const transport = this.#route.kind === "UDPRoute" ? "udp" : "tcp";
    this.#build.streams.addPool({ id, transport, backends, ...(tls !== undefined && { tls }) });
    return { pool: id };
  }

  #destination(ref: StreamBackendRef, ending: Gateway | undefined): Destination | Unusable {
    const { resources, streams } = this.#build;
    const reference = portReference(ref, this.#route, {
      isGranted: (from, to) => isReferenceGranted(resources, from, to),
    });
    if ("ok" in reference) return reference;
    const { namespace, name, port } = reference;
    const protocol = this.#route.kind === "UDPRoute" ? "UDP" : "TCP";
    const service = resources.get("Service", namespace, name);
    const found = service && findPort(service, port, protocol);
    const portName = found?.name;
    const tls: Destination["tls"] | Unusable =
      ending &&
      this.#tls(ending, {
        namespace,
        service: name,
        port,
        ...(portName !== undefined && { portName }),
      });
    if (service === undefined || found === undefined || isExternalName(service)) {
      return missingPort(reference, service, protocol);
    }
    if (typeof tls === "object") return tls;
    const upstream = streams.backends.add({ ...reference, protocol });
    return { ok: true, upstream, ...(tls !== undefined && { tls }) };
  }

  /** The id of the TLS to a backend; undefined: none. */
  #tls(
    gateway: Gateway,
    backend: Parameters<Policies["backendTls"]>[1],
  ): string | undefined | Unusable {
    const choice = this.#policies.backendTls([gateway], backend);
    if (choice.kind === "none") return undefined;
    const { namespace, service } = backend;
    if (choice.kind === "refused") {
      return policyUnusable(
        `the BackendTLSPolicy of Service ${namespace}/${service} can't be used`,
      );
    }
    return choice.hasNames === true
      ? policyUnusable(
          `the BackendTLSPolicy of Service ${namespace}/${service} has subjectAltNames, which can't be checked for a TLSRoute`,
        )
      : choice.id;
  }
}

interface Destination {
  readonly ok: true;
  /** Id. */
  readonly upstream: string;
  /** Id of the verified TLS. */
  readonly tls?: string;
}

function policyUnusable(message: string): Unusable {
  return { ...unusable("UnsupportedProtocol", message), code: "STREAM_BACKEND_TLS" };
}

const UNEQUAL = policyUnusable(
  "the backends of a rule must be reached by the same TLS: one BackendTLSPolicy for all of them, or none",
);
