/** Where a part of the configuration came from: the object and the field a user wrote. Only for explaining and logging. */
export interface SourceRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Field path as text, such as `spec.rules[0].http.paths[1]`. */
  readonly field: string;
}
