/**
 * What OpenSSL refuses at its security level 2, the default of the distributions: keys and signatures of less than 112 bits. nginx does
 * not start with such a certificate, and no handshake succeeds, so they are found here, where only their owner is concerned.
 */
import type { KeyObject, X509Certificate } from "node:crypto";
import { signatureAlgorithm } from "./signature-algorithm.js";

const MINIMUM_MODULUS = 2048;
/**
 * Each handshake costs a worker one signature with the private key: 4 ms with 4096 bits, 14 ms with 6144, 31 ms with 8192 and 300 ms with
 * 16,384. The curves of OpenSSL take at most 3 ms, so they need no such bound.
 */
const MAXIMUM_MODULUS = 4096;
const MINIMUM_CURVE = 224;
const SIGNS: ReadonlySet<string> = new Set(["ed25519", "ed448"]);
const ADVICE = "issue one with an RSA key of 2048 to 4096 bits, or an EC key such as P-256";

/** Of a certificate that is shown, or of the chain above it: what is too weak and what to do, after "…"; undefined: nothing is. */
export function weakness(certificate: X509Certificate): string | undefined {
  const key = publicKey(certificate);
  const weak = key === undefined ? "a key of an unknown kind" : keyWeakness(key);
  if (weak !== undefined) return `${weak}, which TLS refuses; ${ADVICE}`;
  // Nobody checks how a certificate is signed that is trusted for itself.
  if (isSelfSigned(certificate)) return undefined;
  const algorithm = signatureAlgorithm(certificate.raw);
  return algorithm === undefined
    ? undefined
    : `a signature with ${algorithm}, which TLS refuses; issue one that is signed with SHA-256`;
}

/** Of the certificate whose key signs each handshake: what is too slow about it and what to do; undefined: nothing is. */
export function slowness(leaf: X509Certificate): string | undefined {
  const { modulusLength = 0 } = publicKey(leaf)?.asymmetricKeyDetails ?? {};
  if (modulusLength <= MAXIMUM_MODULUS) return undefined;
  return `an RSA key of ${modulusLength} bits, with which each handshake takes too long; ${ADVICE}`;
}

/** True for an authority below which OpenSSL accepts nothing. How it is itself signed does not matter: it is trusted. */
export function isWeakAuthority(certificate: X509Certificate): boolean {
  const key = publicKey(certificate);
  return key === undefined || keyWeakness(key) !== undefined;
}

/** What the key is, when it is too weak. */
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
