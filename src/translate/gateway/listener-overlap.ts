import type { HostPattern } from "../../ir/host-pattern.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { BuildContext } from "../build-context.js";
import { covers } from "../hostnames.js";
import { certificateNames, listenerCertificates } from "./listener-certificates.js";
import type { ListenerDraft } from "./listener-draft.js";
import type { Overlap } from "./translated.js";

/** Overlaps of the listeners of one translation: whose certificates are read once, however many others ask. */
export class ListenerOverlaps {
  readonly #context: BuildContext;
  readonly #names = new Map<ListenerDraft, readonly HostPattern[]>();

  constructor(context: BuildContext) {
    this.#context = context;
  }

  /**
   * With another HTTPS listener of the port (RFC 9113, 9.1.1; Gateway API, OverlappingTLSConfig): a client may send requests for every
   * name in a certificate on the connection that showed it. Certificates come before hostnames where both overlap.
   */
  of(draft: ListenerDraft, neighbours: readonly ListenerDraft[]): Overlap | undefined {
    if (draft.protocol !== "HTTPS") return undefined;
    const others = neighbours.filter(
      (other) => other !== draft && other.protocol === "HTTPS" && other.port === draft.port,
    );
    return this.#byCertificate(draft, others) ?? byHostname(draft, others);
  }

  #byCertificate(draft: ListenerDraft, others: readonly ListenerDraft[]): Overlap | undefined {
    for (const other of others) {
      const message = this.#leadsTo(draft, other) ?? this.#leadsTo(other, draft);
      if (message !== undefined) return { reason: "OverlappingCertificates", message };
    }
    return undefined;
  }

  /** A name in a certificate of `from` that is a host of `to`; where both are for it, the more specific listener has it. */
  #leadsTo(from: ListenerDraft, to: ListenerDraft): string | undefined {
    const isOwn = (name: HostPattern): boolean =>
      covers(to.hostname, from.hostname) && covers(from.hostname, name);
    const found = this.#namesOf(from).find(
      (name) => (covers(name, to.hostname) || covers(to.hostname, name)) && !isOwn(name),
    );
    return (
      found &&
      `a certificate of ${shownListener(from)} is for ${shownHosts(found)}, and so is ${shownListener(to)} on the same port`
    );
  }

  #namesOf(draft: ListenerDraft): readonly HostPattern[] {
    const known = this.#names.get(draft);
    if (known !== undefined) return known;
    const { certificates } = listenerCertificates(draft, this.#context);
    const names = certificates.flatMap(({ leaf }) => certificateNames(leaf));
    this.#names.set(draft, names);
    return names;
  }
}

function byHostname(draft: ListenerDraft, others: readonly ListenerDraft[]): Overlap | undefined {
  const other = others.find(
    ({ hostname }) => covers(hostname, draft.hostname) || covers(draft.hostname, hostname),
  );
  if (other === undefined) return undefined;
  const message = `${shownListener(other)} is for ${shownHosts(other.hostname)} on the same port`;
  return { reason: "OverlappingHostnames", message };
}

function shownListener({ spec, parent: { kind, metadata } }: ListenerDraft): string {
  return `listener ${spec.name} of ${kind} ${metadata.namespace}/${metadata.name}`;
}

function shownHosts(hostname: HostPattern): string {
  return hostKey(hostname).replace("**.", "*.") || "every host";
}
