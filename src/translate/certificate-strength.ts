/**
 * What OpenSSL refuses at its security level 2, the default of the distributions: keys and signatures of less than 112 bits. nginx does
 * not start with such a certificate, so it is refused here, where only its owner is affected.
 */
import { type KeyObject, X509Certificate } from "node:crypto";
import { element } from "../support/der.js";

const MINIMUM_MODULUS = 2048;
/**
 * Each handshake costs a worker one signature with the private key: 4 ms with 4096 bits, 14 ms with 6144, 31 ms with 8192 and 300 ms with
 * 16,384. The curves of OpenSSL take at most 3 ms, so they need no such bound.
 */
const MAXIMUM_MODULUS = 4096;
const MINIMUM_CURVE = 224;
const SIGNS: ReadonlySet<string> = new Set(["ed25519", "ed448"]);
const ADVICE = "issue one with an RSA key of 2048 to 4096 bits, or an EC key such as P-256";

/** What is too weak in a certificate of a chain, and what to do; completes "has …". Undefined if nothing is. */
export function weakness(certificate: X509Certificate): string | undefined {
  const key = publicKey(certificate);
  const weak = key === undefined ? "a key of an unknown kind" : keyWeakness(key);
  if (weak !== undefined) return `${weak}, which TLS refuses; ${ADVICE}`;
  // The signature of a certificate that is itself trusted is not checked.
  if (isSelfSigned(certificate)) return undefined;
  const algorithm = signatureAlgorithm(certificate.raw);
  return algorithm === undefined
    ? undefined
    : `a signature with ${algorithm}, which TLS refuses; issue one that is signed with SHA-256`;
}

/** What is too slow in the certificate whose key signs each handshake, and what to do. Undefined if nothing is. */
export function slowness(leaf: X509Certificate): string | undefined {
  const { modulusLength = 0 } = publicKey(leaf)?.asymmetricKeyDetails ?? {};
  if (modulusLength <= MAXIMUM_MODULUS) return undefined;
  return `an RSA key of ${modulusLength} bits, with which each handshake takes too long; ${ADVICE}`;
}

/** Whether OpenSSL accepts nothing below this authority. Its own signature does not matter, because it is trusted. */
export function isWeakAuthority(certificate: X509Certificate): boolean {
  const key = publicKey(certificate);
  return key === undefined || keyWeakness(key) !== undefined;
}

/** The description of a key that is too weak. */
export function keyWeakness(key: KeyObject): string | undefined {
  const { modulusLength = 0, namedCurve = "" } = key.asymmetricKeyDetails ?? {};
  const kind = key.asymmetricKeyType ?? "unknown";
  if (kind === "rsa" || kind === "rsa-pss") {
    return modulusLength < MINIMUM_MODULUS ? `an RSA key of ${modulusLength} bits` : undefined;
  }
  if (kind === "ec") {
    if (curveSize(namedCurve) >= MINIMUM_CURVE) return undefined;
    return namedCurve === "" ? "an EC key on a curve without a name" : `an EC key on ${namedCurve}`;
  }
  return SIGNS.has(kind) ? undefined : `a key of kind ${kind.toUpperCase()}`;
}

/** Bits; OpenSSL's names of curves have them as their largest number: prime256v1, secp384r1, c2pnb163v1. */
function curveSize(name: string): number {
  return Math.max(0, ...(name.match(/\d+/g) ?? []).map(Number));
}

function publicKey(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey;
  } catch {
    return undefined;
  }
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && certificate.checkIssued(certificate);
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The certificates in the PEM blocks of a text (RFC 7468), without the text around them; undefined if a block is invalid. */
export function parsePemCertificates(text: string): readonly X509Certificate[] | undefined {
  const blocks = text.match(PEM_CERTIFICATE) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return undefined;
  }
}

/** Object identifiers, as hexadecimal of their DER contents (RFC 3279, 2.2; RFC 8017, A.2; RFC 3279, 2.2.3). */
const WEAK: ReadonlyMap<string, string> = new Map([
  ["2a864886f70d010102", "MD2"],
  ["2a864886f70d010103", "MD4"],
  ["2a864886f70d010104", "MD5"],
  ["2a864886f70d010105", "SHA-1"],
  ["2b0e03021d", "SHA-1"],
  ["2a8648ce3d0401", "SHA-1"],
  ["2a8648ce380403", "SHA-1"],
]);
const RSA_PSS = "2a864886f70d01010a";
/** Begins the identifiers of SHA-2 and SHA-3: 2.16.840.1.101.3.4.2. */
const STRONG_DIGEST = Buffer.from("6086480165030402", "hex");

/**
 * The digest of the signature of a DER certificate if it is obsolete. node:crypto tells it only from Node 24 on, so it is read from the
 * bytes (RFC 5280, 4.1).
 */
export function signatureAlgorithm(der: Buffer): string | undefined {
  const certificate = element(der, 0);
  const signed = certificate && element(der, certificate.start);
  const algorithm = signed && element(der, signed.end);
  const identifier = algorithm && element(der, algorithm.start);
  if (algorithm === undefined || identifier === undefined) return undefined;
  const name = der.subarray(identifier.start, identifier.end).toString("hex");
  if (name !== RSA_PSS) return WEAK.get(name);
  // Without parameters its digest is SHA-1 (RFC 8017, A.2.3).
  const parameters = der.subarray(identifier.end, algorithm.end);
  return parameters.includes(STRONG_DIGEST) ? undefined : "SHA-1";
}
