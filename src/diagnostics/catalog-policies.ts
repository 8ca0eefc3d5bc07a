import type { CatalogEntry } from "./catalog-entry.js";

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
