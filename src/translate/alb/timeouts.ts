import type { TimeoutSpec } from "../../api/alb.js";
import { DEFAULT_TIMEOUTS } from "../../model/route.js";
import type { Timeouts } from "../../model/route.js";
import type { TranslateContext } from "../context.js";
import type { Place } from "../place.js";
import { within } from "../place.js";

/** Milliseconds; the most that a 32-bit timer holds. */
export const MAX_TIMEOUT = 2 ** 31 - 1;

/** A whole timeout object, which is inherited as a whole: what it leaves out has the default. Values below 1 are reported. */
export function timeoutsOf(spec: TimeoutSpec, place: Place, context: TranslateContext): Timeouts {
  const read = (field: keyof TimeoutSpec, absent: number): number => {
    const value = spec[field];
    if (value === undefined) return absent;
    if (Number.isInteger(value) && value >= 1 && value <= MAX_TIMEOUT) return value;
    context.diagnostics.report({
      code: "SETTING_IGNORED",
      message: `${String(value)} is not a number of milliseconds from 1 to ${String(MAX_TIMEOUT)}`,
      ...within(place, field),
    });
    return absent;
  };
  return {
    connect: read("proxy_connect_timeout_ms", DEFAULT_TIMEOUTS.connect),
    send: read("proxy_send_timeout_ms", DEFAULT_TIMEOUTS.send),
    read: read("proxy_read_timeout_ms", DEFAULT_TIMEOUTS.read),
  };
}
