import { fc } from "../fast-check.js";

/** An object as an API server has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly creationTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly generation?: number;
  };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

export function manifest(
  apiVersion: string,
  kind: string,
  rest: Omit<Manifest, "apiVersion" | "kind"> & Readonly<Record<string, unknown>>,
): Manifest {
  return { apiVersion, kind, ...rest };
}

/** Objects of the two namespaces are older and younger than each other. */
export const CREATED: fc.Arbitrary<{ readonly creationTimestamp?: string }> = fc.constantFrom(
  {},
  ...["2024-01", "2024-02", "2024-03", "2024-04", "2024-05"].map((month) => ({
    creationTimestamp: `${month}-01T00:00:00Z`,
  })),
);
