/** What Gateways and ListenerSets are, by what their listeners are. */
import type { AddressAssignment } from "./addresses.js";
import type { TranslatedListener } from "./model.js";
import type { Verdict } from "./verdict.js";
import { firstRefused, HOLDS, refused } from "./verdict.js";

/** `listeners`: those of its ListenerSets, too. */
export function gatewayAccepted(
  written: Verdict,
  listeners: readonly TranslatedListener[],
): Verdict {
  return firstRefused([written, someAccepted(listeners)]);
}

export function gatewayProgrammed(
  accepted: Verdict,
  { verdict }: AddressAssignment,
  listeners: readonly TranslatedListener[],
): Verdict {
  if (!accepted.ok) return refused("Invalid", accepted.message);
  return firstRefused([verdict, someProgrammed(listeners, "Invalid")]);
}

export function listenerSetAccepted(
  allowed: Verdict,
  gateway: Verdict,
  listeners: readonly TranslatedListener[],
): Verdict {
  if (!allowed.ok) return allowed;
  if (!gateway.ok) return refused("ParentNotAccepted", notAccepted(gateway.message));
  // Unlike a Gateway, a ListenerSet none of whose listeners has what it refers to is not accepted.
  if (listeners.every(({ resolvedRefs }) => !resolvedRefs.ok)) {
    return refused(
      "ListenersNotValid",
      `no listener is valid; ${reasons(listeners, "resolvedRefs")}`,
    );
  }
  return someAccepted(listeners);
}

export function listenerSetProgrammed(
  accepted: Verdict,
  gateway: Verdict,
  listeners: readonly TranslatedListener[],
): Verdict {
  if (!accepted.ok) return accepted;
  if (!gateway.ok)
    return refused("ParentNotProgrammed", `the Gateway is not programmed: ${gateway.message}`);
  return someProgrammed(listeners, "ListenersNotValid");
}

function notAccepted(why: string): string {
  return `the Gateway is not accepted: ${why}`;
}

function someAccepted(listeners: readonly TranslatedListener[]): Verdict {
  if (listeners.some(({ accepted }) => accepted.ok)) return HOLDS;
  return refused("ListenersNotValid", `no listener is valid; ${reasons(listeners, "accepted")}`);
}

function someProgrammed(listeners: readonly TranslatedListener[], reason: string): Verdict {
  if (listeners.some(({ programmed }) => programmed.ok)) return HOLDS;
  return refused(reason, `no listener is served; ${reasons(listeners, "programmed")}`);
}

/** `http: why; https: why` */
function reasons(
  listeners: readonly TranslatedListener[],
  condition: "accepted" | "resolvedRefs" | "programmed",
): string {
  return listeners
    .flatMap((listener) => {
      const verdict = listener[condition];
      return verdict.ok ? [] : [`${listener.name}: ${verdict.message}`];
    })
    .join("; ");
}

/** `listener http`, `listeners http, https`. */
export function listenerNames(listeners: readonly TranslatedListener[]): string {
  const names = listeners.map(({ name }) => name).join(", ");
  return `${listeners.length === 1 ? "listener" : "listeners"} ${names}`;
}
