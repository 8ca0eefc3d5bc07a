export type Severity = "error" | "warning" | "info";

/** What one diagnostic code stands for. */
export interface CatalogEntry {
  readonly severity: Severity;
  readonly title: string;
  /** Why it is reported and what the gateway does meanwhile. */
  readonly explanation: string;
  /** Default advice; a report may give a better one. */
  readonly hint: string;
}
