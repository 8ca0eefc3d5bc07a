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
      "The setting restricts access, so ignoring it would open the paths. They answer 503 instead.",
    hint: "use basic auth with apr1 hashes or forward auth, or remove the setting",
  },
  AUTH_REFERENCE_NOT_FOUND: {
    severity: "error",
    title: "an auth setting names a Secret or ConfigMap that does not exist",
    explanation:
      "The paths that the setting protects answer 503 until the object exists; then they are served at once.",
    hint: "create the object, or correct its namespace and name; in a cluster the Secrets of its namespace must be among those that are read (option secretNamespaces)",
  },
  AUTH_REFERENCE_FORBIDDEN: {
    severity: "error",
    title: "an auth setting may not use an object of another namespace",
    explanation:
      "Ingresses and AuthPolicies may name Secrets and ConfigMaps of their own namespace only, so they can't check passwords against other namespaces' data, or send it. The paths answer 503.",
    hint: "move the object, or have a ReferenceGrant made in its namespace, or switch allowCrossNamespaceAuth on",
  },
  AUTH_SECRET_UNUSABLE: {
    severity: "error",
    title: "a Secret for basic auth can't be used",
    explanation:
      "It lacks the layout of its secret type, or none of its users can log in. The paths it protects answer 503.",
    hint: "give an auth-file secret the key `auth` with lines <user>:<apr1 hash>, an auth-map secret one key for each user with the apr1 hash; `openssl passwd -apr1` makes hashes",
  },
  AUTH_USER_UNUSABLE: {
    severity: "warning",
    title: "a user of a basic auth Secret can't log in",
    explanation: "The entry is not <user>:<apr1 hash>. The Secret's other users are not affected.",
    hint: "make the hash with `openssl passwd -apr1` or `htpasswd -nm <user>`",
  },
  AUTH_USER_DUPLICATE: {
    severity: "warning",
    title: "a basic auth Secret lists a user twice",
    explanation: "The first line of the user counts, as in Apache and nginx.",
    hint: "remove one of the lines",
  },
  AUTH_SECRET_KEY_IGNORED: {
    severity: "warning",
    title: "a key of an auth-file Secret is ignored",
    explanation: "Only the key `auth` of an auth-file Secret is read.",
    hint: "remove the key, or use the secret type auth-map, where each key is a user",
  },
  AUTH_HEADER_DUPLICATE: {
    severity: "warning",
    title: "two keys of a header ConfigMap name the same header",
    explanation:
      "Header names are compared without case. The first in byte order is used; others are ignored.",
    hint: "remove one of the keys",
  },
  AUTH_SETTING_WITHOUT_EFFECT: {
    severity: "warning",
    title: "an auth setting has no effect",
    explanation:
      "It belongs to an auth method that is not configured here, or its place is not read. Or it names response headers of the auth service that only the gateway sends to backends.",
    hint: "add the setting that it belongs to, or remove it",
  },
  AUTH_SERVICE_NOT_FOUND: {
    severity: "warning",
    title: "the auth service is not a known Service",
    explanation:
      "The host of the auth URL has the form of a Service name, but no Service has that name and port. Each request looks the host up in DNS.",
    hint: "correct name, namespace or port of the Service",
  },
  AUTH_URL_FRAGMENT: {
    severity: "warning",
    title: "the auth URL has a fragment",
    explanation: "The part after # is never sent in a request (RFC 9110, 4.2.5), so it is ignored.",
    hint: "write %23 for a # that belongs to the path or query, or remove the fragment",
  },
} as const satisfies Record<string, CatalogEntry>;

/** What translation of BackendTLSPolicy, AuthPolicy and auth filters reports. */
export const POLICY_DIAGNOSTICS = {
  POLICY_TARGET_NOT_FOUND: {
    severity: "error",
    title: "the target of a policy does not exist",
    explanation:
      "The object in targetRefs does not exist, or the Service has no port of that name. The policy has no effect there.",
    hint: "create the object, or correct the name or sectionName; targets are in the policy's own namespace",
  },
  POLICY_TARGET_MISSPELT: {
    severity: "error",
    title: "a target of an AuthPolicy is misspelt, and its object is closed",
    explanation:
      "The object exists, but has no section of that name (a listener or rule), or the target's kind or group is one or two letters off. Ignoring the policy could open what it protects, so the whole object answers 503, except where a policy of a narrower object applies.",
    hint: "correct sectionName, kind or group of the target",
  },
  POLICY_TARGET_UNSUPPORTED: {
    severity: "error",
    title: "a policy targets a kind that it does not support",
    explanation:
      "A BackendTLSPolicy targets Services, an AuthPolicy Gateways, ListenerSets, HTTPRoutes, GRPCRoutes, and HTTP and HTTPS listeners. It has no effect on other targets.",
    hint: "correct group, kind and section of the target",
  },
  POLICY_NOT_FOR_CONNECTIONS: {
    severity: "warning",
    title: "an AuthPolicy does not cover all listeners of its Gateway",
    explanation:
      "Listeners of protocol TLS, TCP and UDP forward connections and datagrams without reading them, so the gateway can't ask for a login there.",
    hint: "give such listeners a Gateway of their own, or name the listeners that the policy is for (sectionName)",
  },
  POLICY_CONFLICT: {
    severity: "error",
    title: "two policies have the same target",
    explanation:
      "Of policies for the same object or section, the oldest is in force, then the first by namespace and name. This one is not.",
    hint: "remove one of them, or let one name a section (sectionName)",
  },
  POLICY_UNREADABLE: {
    severity: "error",
    title: "everything that an unreadable policy may target is closed",
    explanation:
      "An API server would refuse it, but it may restrict what its namespace serves. Until it can be read, all its possible targets answer with an error.",
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
    title: "a policy is used in more places than its status can list",
    explanation:
      "A status holds sixteen entries, including other controllers'. The policy is in force everywhere; only its status is cut.",
    hint: "nothing needs to be done",
  },
  BACKEND_TLS_INVALID: {
    severity: "error",
    title: "a BackendTLSPolicy can't be used as written",
    explanation:
      "Its authorities or names can't be read. Without a usable authority, or with an unknown name, its target Services answer 500: no request reaches them unchecked.",
    hint: "give caCertificateRefs a ConfigMap or Secret with PEM certificates under ca.crt, or wellKnownCACertificates System",
  },
  AUTH_FILTER_UNRESOLVED: {
    severity: "error",
    title: "an auth filter names an object that does not exist",
    explanation:
      "Skipping the filter would open the rule, so its requests answer 500 until the filter can be resolved.",
    hint: "create the AuthPolicy or Service, correct its name, or have a ReferenceGrant made",
  },
} as const satisfies Record<string, CatalogEntry>;
