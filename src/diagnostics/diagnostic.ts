/** Problems are data: a stage reports a user's mistake and continues. A message never contains a secret or a hash. */
import type { DiagnosticCode, Severity } from "./catalog.js";

/** The object that a diagnostic is about; `namespace` is empty for cluster-scoped kinds. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Identifies an object: no two have the same kind, namespace and name. */
export function refKey({ kind, namespace, name }: Omit<ResourceRef, "apiVersion">): string {
  return `${kind}/${namespace}/${name}`;
}

/** A place in an input file; line and column count from 1. `excerpt` is the line, cut before a secret. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly excerpt?: string;
}

export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  /** What is wrong, with the value unless it is a secret; no advice. */
  readonly message: string;
  readonly resource?: ResourceRef;
  readonly field?: FieldPath;
  readonly location?: SourceLocation;
  /** What to do about it. */
  readonly hint?: string;
  /** Other places that the problem involves, such as the first of two objects with one name. */
  readonly related?: readonly { readonly message: string; readonly location: SourceLocation }[];
}

/** A place inside an object: property names and list positions from its root. */
export type FieldPath = readonly (string | number)[];

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/** `["spec", "rules", 0, "host"]` as `spec.rules[0].host`; other names are bracketed and quoted. */
export function formatFieldPath(path: FieldPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${String(step)}]`;
    else if (PLAIN_NAME.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}
