import type { ResourceRef } from "../diagnostics/diagnostic.js";

/** An object that a controller makes for one of a user's and that ends with it, as it is to be: by server-side apply. */
export interface OwnedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  /** The object that it is for. */
  readonly owner: ResourceRef;
  /** Everything else, such as `spec`. */
  readonly fields: Readonly<Record<string, unknown>>;
}
