import type { ObjectReference } from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import type { RoutingResources } from "../../input/resources.js";
import { memoized } from "../../support/collections.js";
import { own } from "../../support/json-object.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { isWeakAuthority, parsePemCertificates } from "../certificate-strength.js";

const CA_KEY = "ca.crt";
/** All public authorities of an operating system are 220 KiB. */
const MOST_BUNDLE_TEXT = 256 * 1024;

interface CertificateAuthorities {
  /** PEM of every usable reference; absent when none is. */
  readonly pem?: string;
  readonly problems: readonly AuthorityProblem[];
}

interface AuthorityProblem {
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

function readBundle(
  kind: "ConfigMap" | "Secret",
  namespace: string,
  name: string,
  resources: RoutingResources,
): Result<readonly string[]> {
  const object =
    kind === "Secret"
      ? resources.get("Secret", namespace, name)
      : resources.get("ConfigMap", namespace, name);
  return object === undefined ? problem("does not exist") : READERS[kind](object);
}

/** Once for each object, however many policies name it. */
const READERS = {
  ConfigMap: memoized(({ data }: BundleHolder) => certificatesOf(data, (text) => text)),
  Secret: memoized(({ data }: BundleHolder) =>
    certificatesOf(data, (text) => Buffer.from(text, "base64").toString("latin1")),
  ),
};

interface BundleHolder {
  readonly data?: Readonly<Record<string, string>>;
}

/** Each certificate as PEM, written anew, so that text around the blocks goes nowhere. */
function certificatesOf(
  data: BundleHolder["data"] = {},
  decode: (value: string) => string,
): Result<readonly string[]> {
  const value = own(data, CA_KEY);
  if (value === undefined) return problem(`has no key ${CA_KEY}`);
  const text = decode(value);
  if (text.length > MOST_BUNDLE_TEXT) return problem(`has a ${CA_KEY} that is larger than 256 KiB`);
  const certificates = parsePemCertificates(text);
  if (certificates === undefined || certificates.length === 0) {
    return problem(`has a ${CA_KEY} that is no list of PEM certificates`);
  }
  return certificates.every(isWeakAuthority)
    ? problem(
        `has a ${CA_KEY} with no key of at least 112 bits (RSA 2048, EC P-256): TLS trusts none`,
      )
    : ok(certificates.map((certificate) => certificate.toString()));
}
