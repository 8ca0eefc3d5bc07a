/**
 * Each worker of nginx holds every listening socket, and a configuration with more of them than it can hold serves nothing at all. So
 * listeners of Gateways share a number of sockets, in equal shares for namespaces: one that wants more than its share loses its own
 * newest listeners.
 */
import type { CompileOptions } from "../../options.js";
import { compareBy } from "../../support/compare.js";
import type { LoadBalancer } from "../load-balancer.js";
import { compareAge } from "../precedence.js";
import type { DraftedGateway } from "./gateway.js";
import { takesPorts } from "./gateway.js";
import type { ListenerDraft } from "./listener-draft.js";
import type { Refused } from "./verdict.js";
import { refused } from "./verdict.js";

interface Claim {
  readonly draft: ListenerDraft;
  readonly namespace: string;
  /** Listeners of one place share its sockets. */
  readonly place: string;
  readonly sockets: number;
}

interface Tenant {
  readonly namespace: string;
  /** Oldest first. */
  readonly claims: Claim[];
  used: number;
}

/** The listeners that get no sockets, and why. */
export function overBudget(
  drafted: readonly DraftedGateway[],
  balancers: readonly LoadBalancer[],
  options: CompileOptions,
): ReadonlyMap<ListenerDraft, Refused> {
  const claims = claimsOf(drafted, balancers, options);
  const wanted = new Map(claims.map(({ place, sockets }) => [place, sockets]));
  const total = [...wanted.values()].reduce((sum, sockets) => sum + sockets, 0);
  const budget = options.listenerSockets;
  return total <= budget ? new Map() : shareOut(tenantsOf(claims), budget);
}

/** The next socket goes to the namespace that has the fewest. */
function shareOut(tenants: readonly Tenant[], budget: number): ReadonlyMap<ListenerDraft, Refused> {
  const losers = new Map<ListenerDraft, Refused>();
  const open = new Set<string>();
  let left = budget;
  let waiting = tenants;
  while (waiting.length > 0) {
    const next = waiting.reduce((least, tenant) => (tenant.used < least.used ? tenant : least));
    const [claim] = next.claims;
    const sockets = claim === undefined || open.has(claim.place) ? 0 : claim.sockets;
    if (claim !== undefined && sockets <= left) {
      next.claims.shift();
      next.used += sockets;
      left -= sockets;
      open.add(claim.place);
    } else {
      for (const { draft, ...lost } of next.claims) losers.set(draft, verdict(next, lost, budget));
      waiting = waiting.filter((tenant) => tenant !== next);
    }
  }
  return losers;
}

function verdict(
  { namespace, used }: Tenant,
  { sockets }: Pick<Claim, "sockets">,
  budget: number,
): Refused {
  return refused(
    "NoResources",
    `namespace ${namespace} has ${String(used)} of the ${String(budget)} sockets of listeners, which are used up; this one needs ${String(sockets)}`,
  );
}

function tenantsOf(claims: readonly Claim[]): readonly Tenant[] {
  const tenants = new Map<string, Tenant>();
  for (const claim of [...claims].sort(byAge)) {
    const { namespace } = claim;
    const tenant = tenants.get(namespace) ?? { namespace, claims: [], used: 0 };
    tenant.claims.push(claim);
    tenants.set(namespace, tenant);
  }
  return [...tenants.values()];
}

const byAge = compareBy<Claim>((a, b) => compareAge(a.draft.parent, b.draft.parent));

function claimsOf(
  drafted: readonly DraftedGateway[],
  balancers: readonly LoadBalancer[],
  options: CompileOptions,
): readonly Claim[] {
  const served = drafted.filter(({ scope }) => takesPorts(scope));
  const onEvery = new Set(balancers.flatMap(({ ports }) => ports.map(({ port }) => port)));
  return served.flatMap(({ free, scope: { assignment } }) =>
    free
      .filter(({ written }) => written.ok)
      .map((draft) => {
        const { addresses } = assignment;
        const isUdp = draft.protocol === "UDP";
        // One socket for each worker: see sharedPorts of render/nginx/server-view.ts.
        const isForEachWorker = isUdp || (addresses.length > 0 && onEvery.has(draft.port));
        return {
          draft,
          namespace: draft.parent.metadata.namespace,
          place: `${addresses.join()} ${String(draft.port)} ${isUdp ? "udp" : "tcp"}`,
          sockets:
            (addresses.length || (options.dataPlane.ipv6 ? 2 : 1)) *
            (isForEachWorker ? options.dataPlane.workers || options.processors : 1),
        };
      }),
  );
}
