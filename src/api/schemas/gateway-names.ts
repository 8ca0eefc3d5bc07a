/**
 * The scalar types of Gateway API v1.7. A field with a closed set of values is open here: a value that a later version
 * adds must be answered with a condition, not by refusing the object.
 */
import { string } from "./schema.js";
import type { JsonSchema } from "./schema.js";

const DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;

export const GATEWAY_GROUP = "gateway.networking.k8s.io";

export const GROUP = string({ maxLength: 253, pattern: `^$|^${SUBDOMAIN}$` });
export const KIND = string({
  minLength: 1,
  maxLength: 63,
  pattern: "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$",
});
export const OBJECT_NAME = string({ minLength: 1, maxLength: 253 });
export const NAMESPACE = string({ minLength: 1, maxLength: 63, pattern: `^${DNS_LABEL}$` });
/** Of a listener, a rule, or a port of a Service. */
export const SECTION_NAME = string({ minLength: 1, maxLength: 253, pattern: `^${SUBDOMAIN}$` });
/** IP addresses pass, which the API's prose forbids: a condition tells them. */
export const HOSTNAME = string({
  minLength: 1,
  maxLength: 253,
  pattern: `^(\\*\\.)?${SUBDOMAIN}$`,
});
/** Without `*`. */
export const PRECISE_HOSTNAME = string({
  minLength: 1,
  maxLength: 253,
  pattern: `^${SUBDOMAIN}$`,
});
/** Of a header, a query parameter or a cookie: a token of RFC 9110. */
export const TOKEN_NAME = string({
  minLength: 1,
  maxLength: 256,
  pattern: "^[A-Za-z0-9!#$%&'*+\\-.^_`|~]+$",
});
/**
 * The standard channel takes any text, the experimental one printable ASCII. In between: all but control characters,
 * which no header can hold.
 */
export const HEADER_VALUE = string({
  minLength: 1,
  maxLength: 4096,
  // eslint-disable-next-line no-control-regex -- they are what must not be there
  pattern: /^[^\x00-\x08\x0a-\x1f\x7f]+$/.source,
});
/** GEP-2257: hours, minutes, seconds and milliseconds, whole numbers. */
export const DURATION = string({ pattern: "^([0-9]{1,5}(h|m|s|ms)){1,4}$" });
/** Characters of a path (RFC 3986, section 3.3), slashes included. */
export const PATH_PATTERN = "^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$";
/** `<domain>/<path>`. */
export const CONTROLLER_NAME = string({
  minLength: 1,
  maxLength: 253,
  pattern: `^${SUBDOMAIN}\\/[A-Za-z0-9\\/\\-._~%!$&'()*+,;=:]+$`,
});
export const LABEL_VALUE = string({
  maxLength: 63,
  pattern: "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$",
});
export const ANNOTATION_VALUE = string({ maxLength: 4096 });

/** One of a set of values that may grow; `value` is the default, if there is one. */
export function choice(value?: string): JsonSchema {
  return string({ maxLength: 253, ...(value === undefined ? {} : { default: value }) });
}
