import { addTo } from "../support/group-by.js";

/** Where nginx listens, as CompileOptions.unavailablePorts has it: `80`, `10.0.0.1:80`, `[fd00::1]:80`, or one of these with `/udp`. */
export interface PlaceParts {
  /** Undefined: every address. */
  readonly address: string | undefined;
  readonly port: number;
  readonly transport: "tcp" | "udp";
}

export function placeParts(place: string): PlaceParts {
  const [, bracketed, plain, port, udp] =
    /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d+)(\/udp)?$/.exec(place) ?? [];
  const transport = udp === undefined ? "tcp" : "udp";
  return { address: bracketed ?? plain, port: Number(port), transport };
}

/** Whether the two are one socket, or one is the other's port on every address. */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [placeParts(one), placeParts(other)];
  if (a.port !== b.port || a.transport !== b.transport) return false;
  return a.address === undefined || b.address === undefined || a.address === b.address;
}

/**
 * The new places of TCP that nginx can only open once a reload has closed a socket of its own: every address of a port instead of one,
 * or the reverse. Where both remain, and for UDP, the sockets share the port (`reuseport`).
 */
export function behindOwn(next: readonly string[], live: readonly string[]): readonly string[] {
  const closing = new Map<number, string[]>();
  for (const place of live.filter((each) => !next.includes(each))) {
    const { port, transport } = placeParts(place);
    if (transport === "tcp") addTo(closing, port, place);
  }
  return next.filter(
    (place) =>
      !live.includes(place) &&
      (closing.get(placeParts(place).port) ?? []).some((each) => overlaps(each, place)),
  );
}

/** `80` of `0.0.0.0:80` and `[::]:80`. */
export function withoutWildcard(place: string): string {
  return place.replace(/^(?:0\.0\.0\.0|\[::\]):/, "");
}
