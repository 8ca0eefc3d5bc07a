import type { Gateway } from "../../../api/gateway.js";
import { getOrInsert } from "../../../support/group-by.js";
import type { AlikeGateways, BackendPort } from "../model.js";
import type { PolicyTarget } from "./policy-targets.js";

interface Users {
  /** The lists as they were added. */
  readonly groups: Set<AlikeGateways>;
  /** The Gateways of all groups; absent until `of` needs them. */
  all?: ReadonlySet<Gateway>;
}

/**
 * Which Gateways use a Service. A backendRef adds the route's whole list of Gateways at once, since a few bytes make thousands of
 * pairs; only Services that a policy targets have their lists merged.
 */
export class ServiceUsers {
  readonly #users = new Map<string, Users>();

  add(gateways: AlikeGateways, { namespace, service }: BackendPort): void {
    const key = `${namespace}/${service}`;
    const users = getOrInsert(this.#users, key, (): Users => ({ groups: new Set() }));
    users.groups.add(gateways);
    delete users.all;
  }

  /** Of the Service that the target names, whatever its section. */
  of({ namespace, name }: PolicyTarget): ReadonlySet<Gateway> {
    const users = this.#users.get(`${namespace}/${name}`);
    if (users === undefined) return NO_GATEWAYS;
    return (users.all ??= new Set([...users.groups].flat()));
  }
}

const NO_GATEWAYS: ReadonlySet<Gateway> = new Set();
