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
      "It belongs to a method of auth that is not configured here, or stands where it is not read. Or it names headers of an auth service's answer that only the gateway sends to backends.",
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

/** What translation of BackendTLSPolicy, AuthPolicy and auth filters reports. */
export const POLICY_DIAGNOSTICS = {
  POLICY_TARGET_NOT_FOUND: {
    severity: "error",
    title: "a policy is for something that does not exist",
    explanation:
      "The object that targetRefs names is not there, or a Service has no port of that name. The policy has no effect on it.",
    hint: "create the object, or correct the name or sectionName; targets are in the policy's own namespace",
  },
  POLICY_TARGET_MISSPELT: {
    severity: "error",
    title: "a target of an AuthPolicy is misspelt, and its object is closed",
    explanation:
      "The object exists, but it has no section of that name (a listener, or a rule), or the target's kind or group is one or two letters away from its own. Ignoring the policy could open what it protects, so everything of the object answers 503, but what a narrower object's policy covers.",
    hint: "correct sectionName, kind or group of the target",
  },
  POLICY_TARGET_UNSUPPORTED: {
    severity: "error",
    title: "a policy is for a kind that it can't be for",
    explanation:
      "A BackendTLSPolicy is for Services, an AuthPolicy for Gateways, ListenerSets, HTTPRoutes and GRPCRoutes, and for listeners of HTTP and HTTPS. It has no effect on others.",
    hint: "correct group, kind and section of the target",
  },
  POLICY_NOT_FOR_CONNECTIONS: {
    severity: "warning",
    title: "an AuthPolicy does not cover all listeners of its Gateway",
    explanation:
      "Listeners of protocol TLS, TCP and UDP pass on connections and datagrams, which nobody looks into, so that nobody can ask for a login there.",
    hint: "give such listeners a Gateway of their own, or name the listeners that the policy is for (sectionName)",
  },
  POLICY_CONFLICT: {
    severity: "error",
    title: "two policies are for the same object",
    explanation:
      "Of policies for the same object or section the older one is in force, then the first by namespace and name; this one is not.",
    hint: "remove one of them, or let one name a section (sectionName)",
  },
  POLICY_UNREADABLE: {
    severity: "error",
    title: "everything that an unreadable policy may be for is closed",
    explanation:
      "A policy that an API server would refuse may restrict what its namespace serves. Until it can be read, what it could be for is answered with an error.",
    hint: "correct the policy, or remove it",
  },
  POLICY_UNUSED: {
    severity: "warning",
    title: "an AuthPolicy protects nothing",
    explanation: "It has no targetRefs, and no ExtensionRef filter names it.",
    hint: "add targetRefs, or name it in an ExtensionRef filter of a rule of its namespace",
  },
  POLICY_STATUS_FULL: {
    severity: "warning",
    title: "a policy is used in more places than its status can say",
    explanation:
      "A status holds sixteen entries, those of other controllers included. The policy is in force everywhere; only its status is cut.",
    hint: "nothing needs to be done",
  },
  BACKEND_TLS_INVALID: {
    severity: "error",
    title: "a BackendTLSPolicy can't be used as written",
    explanation:
      "Its authorities or names can't be read. Without any usable authority, or with a name that is not understood, the Services that it is for answer 500: they are never reached unchecked.",
    hint: "give caCertificateRefs a ConfigMap or Secret with PEM certificates under ca.crt, or wellKnownCACertificates System",
  },
  AUTH_FILTER_UNRESOLVED: {
    severity: "error",
    title: "an auth filter names something that is not there",
    explanation:
      "Skipping the filter would open the rule, so its requests answer 500 until the filter can be resolved.",
    hint: "create the AuthPolicy or Service, correct its name, or have a ReferenceGrant made",
  },
} as const satisfies Record<string, CatalogEntry>;
