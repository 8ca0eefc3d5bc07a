import type { HostPattern } from "../../ir/host-pattern.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { BuildContext } from "../build-context.js";
import { covers } from "../hostnames.js";
import { within } from "../place.js";
import type { TranslatedGateway, TranslatedListener } from "./translated.js";

/**
 * On a port that Gateways share a host belongs to the most specific hostname: says of a listener that takes hosts which routes of an
 * older Gateway of another namespace are for. `gateways` are in the order of precedence; to be called after routes have been bound.
 */
export function reportTakenHosts(
  gateways: readonly TranslatedGateway[],
  { config, diagnostics }: Pick<BuildContext, "config" | "diagnostics">,
): void {
  const pairs = gateways.flatMap((gateway, index) => rivalries(gateway, gateways.slice(0, index)));
  if (pairs.length === 0) return;
  const hosts = config.hostsByListener();
  for (const { taker, older } of pairs) {
    const served = hosts.get(older.serves?.listener ?? "") ?? [];
    const host = served.map((candidate) => shared(candidate, taker.hostname)).find(Boolean);
    if (host === undefined) continue;
    const { kind, metadata } = older.parent;
    const message = `${hostKey(host).replace("**.", "*.")} on port ${String(taker.port)} is taken from listener ${older.name} of ${kind} ${metadata.namespace}/${metadata.name}, which has routes for it`;
    const place = within(taker.place, "hostname");
    diagnostics.report({ code: "LISTENER_HOST_TAKEN", message, ...place });
  }
}

interface Rivalry {
  readonly taker: TranslatedListener;
  /** Of an older Gateway; its hostname covers the taker's. */
  readonly older: TranslatedListener;
}

function rivalries(
  { gateway, listeners }: TranslatedGateway,
  elders: readonly TranslatedGateway[],
): readonly Rivalry[] {
  const strangers = elders
    .filter((elder) => elder.gateway.metadata.namespace !== gateway.metadata.namespace)
    .flatMap((elder) => elder.listeners);
  return listeners.flatMap((taker) =>
    strangers.filter((older) => isMoreSpecific(taker, older)).map((older) => ({ taker, older })),
  );
}

function isMoreSpecific(taker: TranslatedListener, older: TranslatedListener): boolean {
  return (
    taker.serves !== undefined &&
    taker.serves.server === older.serves?.server &&
    covers(older.hostname, taker.hostname)
  );
}

/** The hosts of both; a listener's wildcard is for any number of labels. */
function shared(host: HostPattern, hostname: HostPattern): HostPattern | undefined {
  if (covers(host, hostname)) return hostname;
  return covers(hostname, host) ? host : undefined;
}
