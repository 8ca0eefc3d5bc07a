/**
 * Where a part of the configuration came from: the object and the field that a user wrote, as text such as
 * `spec.rules[0].http.paths[1]`. Only for explaining and logging.
 */
export type SourceRef = readonly [kind: string, namespace: string, name: string, field: string];
