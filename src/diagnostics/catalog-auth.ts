import type { CatalogEntry } from "./catalog-entry.js";

/** What translation of basic and forward auth reports. */
export const AUTH_DIAGNOSTICS = {
  AUTH_CONFIG_INVALID: {
    severity: "error",
    title: "an auth setting is invalid",
    explanation:
      "A value of the Auth object or of an auth annotation can't be used. The paths it protects answer 503.",
    hint: "correct the value; the paths stay closed until then",
  },
  AUTH_UNSUPPORTED: {
    severity: "error",
    title: "an auth setting is not supported",
    explanation:
      "It would restrict who may pass, so ignoring it would open the paths. They answer 503 instead.",
    hint: "use basic auth with apr1 hashes or forward auth, or remove the setting",
  },
  AUTH_REFERENCE_NOT_FOUND: {
    severity: "error",
    title: "a secret or config map of an auth setting does not exist",
    explanation:
      "The paths that the setting protects answer 503 until the object is there; nothing else needs to be done then.",
    hint: "create the object, or correct its namespace and name; in a cluster the Secrets of its namespace must be among those that are read (option secretNamespaces)",
  },
  AUTH_REFERENCE_FORBIDDEN: {
    severity: "error",
    title: "an auth setting may not use an object of another namespace",
    explanation:
      "Ingress and AuthPolicy may name secrets and config maps of their own namespace only, so that nobody checks passwords against, or sends, what is not theirs. The paths answer 503.",
    hint: "move the object, or have a ReferenceGrant made in its namespace, or switch allowCrossNamespaceAuth on",
  },
  AUTH_SECRET_UNUSABLE: {
    severity: "error",
    title: "a secret for basic auth can't be used",
    explanation:
      "It has not the layout of its secret type, or no user in it could log in. The paths it protects answer 503.",
    hint: "give an auth-file secret the key `auth` with lines <user>:<apr1 hash>, an auth-map secret one key for each user with the apr1 hash; `openssl passwd -apr1` makes hashes",
  },
  AUTH_USER_UNUSABLE: {
    severity: "warning",
    title: "a user of a basic auth secret can't log in",
    explanation: "The entry is not <user>:<apr1 hash>. The secret's other users are not affected.",
    hint: "make the hash with `openssl passwd -apr1` or `htpasswd -nm <user>`",
  },
  AUTH_USER_DUPLICATE: {
    severity: "warning",
    title: "a user stands twice in a basic auth secret",
    explanation: "The first line of a user counts, as with Apache and nginx.",
    hint: "remove one of the lines",
  },
  AUTH_SECRET_KEY_IGNORED: {
    severity: "warning",
    title: "a key of an auth-file secret is not used",
    explanation: "Only the key `auth` of an auth-file secret is read.",
    hint: "remove the key, or use the secret type auth-map, where each key is a user",
  },
  AUTH_HEADER_DUPLICATE: {
    severity: "warning",
    title: "two keys of a header config map name the same header",
    explanation:
      "Header names are compared without case; the first in byte order counts and the others are left out.",
    hint: "remove one of the keys",
  },
  AUTH_SETTING_WITHOUT_EFFECT: {
    severity: "warning",
    title: "an auth setting has no effect",
    explanation:
      "It belongs to a method of auth that is not configured here, or stands where it is not read.",
    hint: "add the setting that it belongs to, or remove it",
  },
  AUTH_SERVICE_NOT_FOUND: {
    severity: "warning",
    title: "the auth service is not a Service that is known",
    explanation:
      "The host of the auth URL is written as a Service of the cluster, but there is none with that name and port. It is looked up in DNS for each request.",
    hint: "correct name, namespace or port of the Service",
  },
  AUTH_URL_FRAGMENT: {
    severity: "warning",
    title: "the auth URL has a fragment",
    explanation: "What follows the # is never part of a request (RFC 9110, 4.2.5); it is left out.",
    hint: "write %23 for a # that belongs to the path or query, or remove the fragment",
  },
} as const satisfies Record<string, CatalogEntry>;
