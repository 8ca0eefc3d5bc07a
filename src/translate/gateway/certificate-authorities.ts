import type { ObjectReference } from "../../api/gateway.js";
import type { RoutingResources } from "../../input/resources.js";
import { memoized } from "../../support/collections.js";
import { own } from "../../support/json-object.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { isWeakAuthority, parsePemCertificates } from "../certificate-strength.js";
import type { Refused } from "./verdict.js";
import { refused } from "./verdict.js";

const CA_KEY = "ca.crt";
/** All public authorities of an operating system are 220 KiB. */
const MOST_BUNDLE_TEXT = 256 * 1024;

/**
 * The certificates under `ca.crt` of a ConfigMap or Secret, as PEM texts. Otherwise the reason is InvalidKind or InvalidCACertificateRef,
 * and the message is a sentence that names the reference.
 */
export function readCertificateAuthorities(
  { group, kind, name }: ObjectReference,
  namespace: string,
  resources: RoutingResources,
): { readonly ok: true; readonly certificates: readonly string[] } | Refused {
  if (group !== "" || (kind !== "ConfigMap" && kind !== "Secret")) {
    const shown = group === "" ? kind : `${kind}.${group}`;
    const message = `${shown} is no kind that holds authorities; a ConfigMap or Secret does`;
    return refused("InvalidKind", message);
  }
  const object = resources.get(kind, namespace, name);
  const read = object === undefined ? problem("does not exist") : READERS[kind](object);
  return read.ok
    ? { ok: true, certificates: read.value }
    : refused("InvalidCACertificateRef", `${kind} ${namespace}/${name} ${read.problem}`);
}

/** One PEM text of several authorities, each once; undefined: there are none. */
export function bundleOf(certificates: readonly string[]): string | undefined {
  return certificates.length === 0 ? undefined : [...new Set(certificates)].join("");
}

interface BundleHolder {
  readonly data?: Readonly<Record<string, string>>;
}

/** Reads an object once, however many policies name it. */
const READERS = {
  ConfigMap: memoized(({ data }: BundleHolder) => certificatesOf(data, (text) => text)),
  Secret: memoized(({ data }: BundleHolder) =>
    certificatesOf(data, (text) => Buffer.from(text, "base64").toString("latin1")),
  ),
};

/** Writes each certificate as PEM again, so text around the blocks is dropped. */
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
