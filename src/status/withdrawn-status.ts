import { ENTRIES } from "./merge-status.js";
import type { ObjectStatus } from "./object-status.js";
import { own } from "../support/own.js";

/** As Gateway API has them before any controller has come (Gateway, status.conditions). */
const NOBODY = {
  status: "Unknown",
  reason: "Pending",
  message: "Waiting for controller",
} as const;

/** What is left where everything was ours. */
const WITHDRAWN: Readonly<Record<string, readonly string[]>> = {
  Gateway: ["Accepted", "Programmed"],
  ListenerSet: ["Accepted", "Programmed"],
};

/**
 * The status of an object that this controller has said something of and that is somebody else's now, or nobody's: who follows the
 * addresses in it must not be sent here any more. Of statuses with an entry for each controller,
 * ours go. Undefined for other kinds.
 */
export function withdrawnStatus(said: ObjectStatus, generation?: number): ObjectStatus | undefined {
  if (said.kind === "Ingress") return { ...said, status: { loadBalancer: {} } };
  for (const field of Object.keys(ENTRIES))
    if (own(said.status, field) !== undefined) return { ...said, status: { [field]: [] } };
  const types = own(WITHDRAWN, said.kind);
  if (types === undefined) return undefined;
  const conditions = types.map((type) => ({
    type,
    ...NOBODY,
    ...(generation !== undefined && { observedGeneration: generation }),
  }));
  return { ...said, status: { conditions } };
}
