import type { ObjectReference } from "../../../api/gateway.js";
import type { FieldPath } from "../../../diagnostics/field-path.js";
import type { RoutingResources } from "../../../input/resources.js";
import type { Result } from "../../../support/result.js";
import { ok, problem } from "../../../support/result.js";
import { isWeakAuthority } from "../../certificate-strength.js";
import { parsePemCertificates } from "../../pem-certificates.js";

const CA_KEY = "ca.crt";

export interface CertificateAuthorities {
  /** PEM of every usable reference; absent when none is. */
  readonly pem?: string;
  readonly problems: readonly AuthorityProblem[];
}

export interface AuthorityProblem {
  /** Of the condition ResolvedRefs. */
  readonly reason: "InvalidKind" | "InvalidCACertificateRef";
  /** A sentence that names the reference. */
  readonly message: string;
  /** Below the list of references. */
  readonly field: FieldPath;
}

/**
 * The certificates under `ca.crt` of ConfigMaps and Secrets of the namespace. A reference that can't be used takes nothing from
 * the others (Gateway API, BackendTLSPolicyValidation.caCertificateRefs).
 */
export function readCertificateAuthorities(
  refs: readonly ObjectReference[],
  namespace: string,
  resources: RoutingResources,
): CertificateAuthorities {
  const certificates = new Set<string>();
  const problems: AuthorityProblem[] = [];
  for (const [i, ref] of refs.entries()) {
    const shown = `${ref.kind} ${namespace}/${ref.name}`;
    if (ref.group !== "" || (ref.kind !== "ConfigMap" && ref.kind !== "Secret")) {
      const message = `${kindOf(ref)} is no kind that holds authorities; a ConfigMap or Secret does`;
      problems.push({ reason: "InvalidKind", message, field: [i, "kind"] });
      continue;
    }
    const read = readBundle(ref.kind, namespace, ref.name, resources);
    if (read.ok) for (const pem of read.value) certificates.add(pem);
    else {
      const message = `${shown} ${read.problem}`;
      problems.push({ reason: "InvalidCACertificateRef", message, field: [i, "name"] });
    }
  }
  return { ...(certificates.size > 0 && { pem: [...certificates].join("") }), problems };
}

function kindOf({ group, kind }: ObjectReference): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** Each certificate as PEM, written anew, so that text around the blocks goes nowhere. */
function readBundle(
  kind: "ConfigMap" | "Secret",
  namespace: string,
  name: string,
  resources: RoutingResources,
): Result<readonly string[]> {
  const text = caText(kind, namespace, name, resources);
  if (!text.ok) return text;
  const certificates = parsePemCertificates(text.value);
  if (certificates === undefined || certificates.length === 0) {
    return problem(`has a ${CA_KEY} that is no list of PEM certificates`);
  }
  return certificates.every(isWeakAuthority)
    ? problem(
        `has a ${CA_KEY} with no key of at least 112 bits (RSA 2048, EC P-256): TLS trusts none`,
      )
    : ok(certificates.map((certificate) => certificate.toString()));
}

function caText(
  kind: "ConfigMap" | "Secret",
  namespace: string,
  name: string,
  resources: RoutingResources,
): Result<string> {
  const object = resources.get(kind, namespace, name);
  if (object === undefined) return problem("does not exist");
  const data = object.data ?? {};
  const value = Object.hasOwn(data, CA_KEY) ? data[CA_KEY] : undefined;
  if (value === undefined) return problem(`has no key ${CA_KEY}`);
  return ok(kind === "Secret" ? Buffer.from(value, "base64").toString("latin1") : value);
}
