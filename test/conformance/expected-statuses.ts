/**
 * What the suite's tests wait for where not everything is fine: facts of status-facts.ts by test and subject, with a reason
 * where the test names one. Written from the tests.
 */
import type { ExpectedFacts } from "../support/status-facts.js";
import { EXPECTED_OF_LISTENER_SETS } from "./expected-listener-sets.js";
import { EXPECTED_OF_STREAMS } from "./expected-of-streams.js";

/** Follows from what else is wrong; the test does not look at it. */
const ANY = "";

const NO_CERTIFICATE = "ResolvedRefs=False/InvalidCertificateRef attachedRoutes=0";
const NOT_GRANTED = "ResolvedRefs=False/RefNotPermitted attachedRoutes=0";
const BAD_CLIENT_CERTIFICATE =
  "ResolvedRefs=False/InvalidClientCertificateRef Accepted=True/Accepted";
const POLICY_WITHOUT_CA =
  "Accepted=False/NoValidCACertificate ResolvedRefs=False/InvalidCACertificateRef";

const OF_GATEWAYS: Readonly<Record<string, ExpectedFacts>> = {
  GatewayInvalidParametersRef: {
    "Gateway gateway-invalid-parameters-ref": "Accepted=False/InvalidParameters",
    "Gateway gateway-invalid-parameters-ref#http": ANY,
  },
  GatewayFrontendInvalidDefaultClientCertificateValidation: {
    "Gateway invalid-default-client-validation-config": ANY,
    "Gateway invalid-default-client-validation-config#http":
      "ResolvedRefs=True Accepted=True Programmed=True",
    "Gateway invalid-default-client-validation-config#https":
      "ResolvedRefs=False/InvalidCACertificateRef Accepted=False/NoValidCACertificate Programmed=False",
  },
  GatewayInvalidFrontendClientCertificateValidation: {
    "Gateway gateway-with-invalid-client-cert-validation": ANY,
    "Gateway gateway-with-invalid-client-cert-validation#https":
      "ResolvedRefs=True Accepted=True Programmed=True",
    "Gateway gateway-with-invalid-client-cert-validation#https-unresolved":
      "ResolvedRefs=False/InvalidCACertificateRef Accepted=False/NoValidCACertificate Programmed=False",
    "Gateway gateway-with-invalid-client-cert-validation#https-invalid-kind":
      "ResolvedRefs=False/InvalidCACertificateKind Accepted=False/NoValidCACertificate Programmed=False",
    "Gateway gateway-with-invalid-client-cert-validation#https-grant-missing":
      "ResolvedRefs=False/RefNotPermitted Accepted=False/NoValidCACertificate Programmed=False",
  },
  GatewayFrontendClientCertificateValidationInsecureFallback: {
    "Gateway client-validation-insecure-fallback":
      "InsecureFrontendValidationMode=True/ConfigurationChanged Accepted=True Programmed=True",
  },
  GatewayListenerUnsupportedProtocol: {
    "Gateway gateway-only-unsupported-protocols": "Accepted=False/ListenersNotValid",
    "Gateway gateway-only-unsupported-protocols#invalid":
      "Accepted=False/UnsupportedProtocol attachedRoutes=0 supportedKinds=",
    "Gateway gateway-supported-and-unsupported-protocols": "Accepted=True/ListenersNotValid",
    "Gateway gateway-supported-and-unsupported-protocols#http":
      "Accepted=True/Accepted attachedRoutes=0",
    "Gateway gateway-supported-and-unsupported-protocols#invalid":
      "Accepted=False/UnsupportedProtocol attachedRoutes=0 supportedKinds=",
  },
  GatewayInvalidRouteKind: {
    "Gateway gateway-only-invalid-route-kind": ANY,
    "Gateway gateway-only-invalid-route-kind#http":
      "ResolvedRefs=False/InvalidRouteKinds attachedRoutes=0 supportedKinds=",
    "Gateway gateway-supported-and-invalid-route-kind": ANY,
    "Gateway gateway-supported-and-invalid-route-kind#http":
      "ResolvedRefs=False/InvalidRouteKinds attachedRoutes=0 supportedKinds=HTTPRoute",
  },
  GatewayInvalidTLSBackendConfiguration: {
    "Gateway gateway-client-certificate-nonexistent-secret": BAD_CLIENT_CERTIFICATE,
    "Gateway gateway-client-certificate-unsupported-group": BAD_CLIENT_CERTIFICATE,
    "Gateway gateway-client-certificate-unsupported-kind": BAD_CLIENT_CERTIFICATE,
    "Gateway gateway-client-certificate-malformed-secret": BAD_CLIENT_CERTIFICATE,
    "Gateway gateway-client-certificate-missing-reference-grant":
      "ResolvedRefs=False/RefNotPermitted Accepted=True/Accepted",
  },
  GatewayTLSBackendClientCertificate: {
    "Gateway gateway-tls-backend-client-certificate":
      "ResolvedRefs=True/ResolvedRefs Accepted=True Programmed=True",
  },
  GatewayInvalidTLSConfiguration: Object.fromEntries(
    ["nonexistent-secret", "unsupported-group", "unsupported-kind", "malformed-secret"].flatMap(
      (what) => [
        [`Gateway gateway-certificate-${what}`, ANY],
        [`Gateway gateway-certificate-${what}#https`, NO_CERTIFICATE],
      ],
    ),
  ),
  GatewaySecretInvalidReferenceGrant: {
    "Gateway gateway-secret-invalid-reference-grant": ANY,
    "Gateway gateway-secret-invalid-reference-grant#https": NOT_GRANTED,
  },
  GatewaySecretMissingReferenceGrant: {
    "Gateway gateway-secret-missing-reference-grant": ANY,
    "Gateway gateway-secret-missing-reference-grant#https": NOT_GRANTED,
    "Gateway gateway-secret-missing-reference-grant#https-nonexistent-secret": NOT_GRANTED,
  },
  GatewaySecretReferenceGrantAllInNamespace: {
    "Gateway gateway-secret-reference-grant-all-in-namespace#https":
      "Programmed=True/Programmed ResolvedRefs=True attachedRoutes=0",
  },
  GatewaySecretReferenceGrantSpecific: {
    "Gateway gateway-secret-reference-grant-specific#https":
      "Programmed=True/Programmed ResolvedRefs=True attachedRoutes=0",
  },
  // As it is applied; the test then takes the addresses away one by one.
  GatewayStaticAddresses: {
    "Gateway gateway-static-addresses": "Accepted=False/UnsupportedAddress",
    "Gateway gateway-static-addresses#http": ANY,
  },
  GatewayWithAttachedRoutes: {
    "Gateway gateway-with-one-attached-route#http":
      "Accepted=True ResolvedRefs=True attachedRoutes=1",
    "Gateway gateway-with-two-attached-routes#http":
      "Accepted=True ResolvedRefs=True attachedRoutes=2",
    "HTTPRoute http-route-not-accepted@gateway-with-two-attached-routes":
      "Accepted=False/NoMatchingListenerHostname",
    "Gateway unresolved-gateway-with-one-attached-unresolved-route": ANY,
    "Gateway unresolved-gateway-with-one-attached-unresolved-route#tls":
      "Programmed=False ResolvedRefs=False attachedRoutes=1",
    "HTTPRoute http-route-4@unresolved-gateway-with-one-attached-unresolved-route":
      "ResolvedRefs=False",
  },
  GatewayWithAttachedRoutesWithPort8080: {
    "Gateway gateway-with-two-listeners-and-one-attached-route#http-unattached":
      "Accepted=True ResolvedRefs=True attachedRoutes=0",
    "Gateway gateway-with-two-listeners-and-one-attached-route#http":
      "Accepted=True ResolvedRefs=True attachedRoutes=1",
  },
};

const OF_ROUTES: Readonly<Record<string, ExpectedFacts>> = {
  HTTPRouteHostnameIntersection: {
    "HTTPRoute no-intersecting-hosts@httproute-hostname-intersection":
      "Accepted=False/NoMatchingListenerHostname",
    "Gateway httproute-hostname-intersection#listener-1":
      "Accepted=True ResolvedRefs=True attachedRoutes=2",
    "Gateway httproute-hostname-intersection#listener-2":
      "Accepted=True ResolvedRefs=True attachedRoutes=1",
    "Gateway httproute-hostname-intersection#listener-3":
      "Accepted=True ResolvedRefs=True attachedRoutes=1",
  },
  HTTPRouteInvalidBackendRefUnknownKind: {
    "HTTPRoute invalid-backend-ref-unknown-kind@same-namespace":
      "Accepted=True ResolvedRefs=False/InvalidKind",
  },
  HTTPRouteInvalidCrossNamespaceBackendRef: {
    "HTTPRoute invalid-cross-namespace-backend-ref@same-namespace":
      "Accepted=True ResolvedRefs=False/RefNotPermitted",
  },
  HTTPRouteInvalidCrossNamespaceParentRef: {
    "HTTPRoute invalid-cross-namespace-parent-ref@same-namespace":
      "Accepted=False/NotAllowedByListeners ResolvedRefs=True",
    "Gateway same-namespace#http": "attachedRoutes=0",
  },
  HTTPRouteInvalidNonExistentBackendRef: {
    "HTTPRoute invalid-nonexistent-backend-ref@same-namespace":
      "Accepted=True ResolvedRefs=False/BackendNotFound",
  },
  HTTPRouteInvalidParentRefNotMatchingListenerPort: {
    "HTTPRoute httproute-listener-not-matching-route-port@same-namespace":
      "Accepted=False/NoMatchingParent ResolvedRefs=True",
    "Gateway same-namespace#http": "attachedRoutes=0",
  },
  HTTPRouteInvalidParentRefNotMatchingSectionName: {
    "HTTPRoute httproute-listener-not-matching-section-name@same-namespace":
      "Accepted=False/NoMatchingParent",
    "Gateway same-namespace#http": "attachedRoutes=0",
  },
  HTTPRouteInvalidParentRefSectionNameNotMatchingPort: {
    "HTTPRoute httproute-listener-section-name-not-matching-port@gateway-with-one-not-matching-port-and-section-name-route":
      "Accepted=False/NoMatchingParent",
  },
  HTTPRouteInvalidReferenceGrant: {
    "HTTPRoute reference-grant@same-namespace": "Accepted=True ResolvedRefs=False/RefNotPermitted",
  },
  HTTPRoutePartiallyInvalidViaInvalidReferenceGrant: {
    "HTTPRoute invalid-reference-grant@same-namespace":
      "Accepted=True ResolvedRefs=False/RefNotPermitted",
  },
  HTTPRouteRuleOrder: {
    "HTTPRoute rule-order-invalid-backend@same-namespace": "Accepted=True ResolvedRefs=False",
  },
};

const OF_POLICIES: Readonly<Record<string, ExpectedFacts>> = {
  BackendTLSPolicy: {
    "BackendTLSPolicy normative-test@same-namespace":
      "Accepted=True/Accepted ResolvedRefs=True/ResolvedRefs",
    "BackendTLSPolicy host-mismatch@same-namespace":
      "Accepted=True/Accepted ResolvedRefs=True/ResolvedRefs",
    "BackendTLSPolicy cert-mismatch@same-namespace":
      "Accepted=True/Accepted ResolvedRefs=True/ResolvedRefs",
  },
  BackendTLSPolicyConflictResolution: {
    "BackendTLSPolicy conflicted-without-section-name-1@same-namespace": "Accepted=True/Accepted",
    "BackendTLSPolicy conflicted-without-section-name-2@same-namespace":
      "Accepted=False/Conflicted",
    "BackendTLSPolicy conflicted-with-section-name-1@same-namespace": "Accepted=True/Accepted",
    "BackendTLSPolicy conflicted-with-section-name-2@same-namespace": "Accepted=False/Conflicted",
    "BackendTLSPolicy not-conflicted-with-section-name@same-namespace": "Accepted=True/Accepted",
    "BackendTLSPolicy not-conflicted-without-section-name@same-namespace": "Accepted=True/Accepted",
  },
  BackendTLSPolicyInvalidCACertificateRef: {
    "BackendTLSPolicy nonexistent-ca-certificate-ref@same-namespace": POLICY_WITHOUT_CA,
    "BackendTLSPolicy malformed-ca-certificate-ref@same-namespace": POLICY_WITHOUT_CA,
  },
  BackendTLSPolicyInvalidKind: {
    "BackendTLSPolicy invalid-kind@same-namespace":
      "Accepted=False/NoValidCACertificate ResolvedRefs=False/InvalidKind",
  },
};

export const EXPECTED: Readonly<Record<string, ExpectedFacts>> = {
  ...OF_GATEWAYS,
  ...OF_ROUTES,
  ...OF_POLICIES,
  ...EXPECTED_OF_LISTENER_SETS,
  ...EXPECTED_OF_STREAMS,
};
