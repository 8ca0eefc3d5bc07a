import type { BackendTlsPolicy } from "../../../api/gateway.js";
import type { BackendTls, SubjectAltName } from "../../../model/upstream.js";
import type { TranslateContext } from "../../context.js";
import { filled } from "../../../support/json-object.js";
import { placeOf, within } from "../../place.js";
import type { Place } from "../../place.js";
import { HOLDS, refused } from "../verdict.js";
import type { Verdict } from "../verdict.js";
import { readCertificateAuthorities } from "../certificate-authorities.js";

/** TLS as a policy says it; the Gateway's client certificate is added for each Gateway. */
export type BackendTlsContent = Omit<BackendTls, "id" | "inLua" | "clientCertificate">;

/** What a BackendTLSPolicy says, wherever it applies. */
export interface BackendTlsReading {
  /** Absent: no connection may be made. */
  readonly content?: BackendTlsContent;
  /** For the condition Accepted: Invalid, NoValidCACertificate. */
  readonly accepted: Verdict;
  /** For the condition ResolvedRefs: InvalidKind, InvalidCACertificateRef. */
  readonly resolved: Verdict;
}

interface Authorities {
  readonly value?: BackendTls["authorities"];
  readonly accepted: Verdict;
  readonly resolved: Verdict;
}

/** Reads the policy's validation, and reports what of it can't be used. */
export function readBackendTlsPolicy(
  policy: BackendTlsPolicy,
  context: TranslateContext,
): BackendTlsReading {
  const place = placeOf(policy, "spec", "validation");
  const authorities = readAuthorities(policy, place, context);
  const names = readNames(policy, place, context);
  reportOptions(policy, context);
  const { resolved } = authorities;
  if (authorities.value === undefined) return { accepted: authorities.accepted, resolved };
  if (!names.ok) return { accepted: refused("Invalid", names.message), resolved };
  const content: BackendTlsContent = {
    hostname: policy.spec.validation.hostname,
    ...filled("names", names.value),
    authorities: authorities.value,
  };
  return { content, accepted: HOLDS, resolved };
}

function readAuthorities(
  policy: BackendTlsPolicy,
  place: Place,
  context: TranslateContext,
): Authorities {
  const { caCertificateRefs: refs = [], wellKnownCACertificates: wellKnown } =
    policy.spec.validation;
  if (refs.length === 0) return readWellKnown(wellKnown, place, context);
  const { pem, problems } = readCertificateAuthorities(
    refs,
    policy.metadata.namespace,
    context.resources,
  );
  for (const { message, field } of problems) {
    report(context, message, within(place, "caCertificateRefs", ...field));
  }
  const [first] = problems;
  const messages = problems.map(({ message }) => message).join("; ");
  const resolved = first === undefined ? HOLDS : refused(first.reason, messages);
  return pem === undefined
    ? { accepted: refused("NoValidCACertificate", messages), resolved }
    : { value: { kind: "pem", pem }, accepted: HOLDS, resolved };
}

function readWellKnown(
  name: string | undefined,
  place: Place,
  context: TranslateContext,
): Authorities {
  if (name === "System") return { value: { kind: "system" }, accepted: HOLDS, resolved: HOLDS };
  const message =
    name === undefined
      ? "the policy names no certificate authorities"
      : `wellKnownCACertificates ${JSON.stringify(name)} is not known; System is`;
  report(context, message, within(place, "wellKnownCACertificates"));
  return { accepted: refused("Invalid", message), resolved: HOLDS };
}

type Names =
  | { readonly ok: true; readonly value: readonly SubjectAltName[] }
  | { readonly ok: false; readonly message: string };

/** A name of an unknown type could be the only one that must match, so the policy can't be used without it. */
function readNames(policy: BackendTlsPolicy, place: Place, context: TranslateContext): Names {
  const value: SubjectAltName[] = [];
  let message: string | undefined;
  for (const [i, { type, hostname, uri }] of (
    policy.spec.validation.subjectAltNames ?? []
  ).entries()) {
    if (type === "Hostname" && hostname !== undefined) {
      value.push(["hostname", hostname]);
    } else if (type === "URI" && uri !== undefined) {
      value.push(["uri", uri]);
    } else {
      const text = `subjectAltNames[${String(i)}] is no Hostname and no URI`;
      report(context, text, within(place, "subjectAltNames", i));
      message ??= text;
    }
  }
  return message === undefined ? { ok: true, value } : { ok: false, message };
}

function reportOptions(policy: BackendTlsPolicy, { diagnostics }: TranslateContext): void {
  for (const key of Object.keys(policy.spec.options ?? {})) {
    diagnostics.report({
      code: "SETTING_UNSUPPORTED",
      message: `option ${key} of a BackendTLSPolicy is not supported`,
      ...placeOf(policy, "spec", "options", key),
    });
  }
}

function report({ diagnostics }: TranslateContext, message: string, place: Place): void {
  diagnostics.report({ code: "BACKEND_TLS_INVALID", message, ...place });
}
