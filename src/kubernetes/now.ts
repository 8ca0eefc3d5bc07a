/** As Kubernetes writes times: RFC 3339, seconds. */
export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}
