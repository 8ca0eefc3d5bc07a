/**
 * Private keys as nginx gets them. Node's OpenSSL and nginx's are two judges: a key with numbers that are longer than they have to be
 * passes one and makes the other refuse nginx.conf. So keys are written anew from their numbers (RFC 8017, A.1.2; RFC 5915), and nginx
 * never reads what a user encoded.
 */
import {
  type KeyObject,
  type X509Certificate,
  createECDH,
  createPrivateKey,
  createPublicKey,
} from "node:crypto";
import {
  BIT_STRING,
  OCTET_STRING,
  SEQUENCE,
  element,
  elements,
  encoded,
  encodedInteger,
  integerOf,
} from "../support/der.js";
import { type Result, ok, problem } from "../support/result.js";
import { SecretText } from "../support/secret-text.js";

/** The key of the certificate, as PEM. A problem completes "tls.key of …". */
export function privateKeyOf(text: string, leaf: X509Certificate): Result<SecretText> {
  const key = parsed(text);
  if (key === undefined) return problem("is not an unencrypted PEM private key");
  const canonical = canonicalForm(key);
  if (canonical === undefined) return INCONSISTENT;
  if (leaf.checkPrivateKey(canonical))
    return ok(new SecretText(canonical.export({ type: "pkcs8", format: "pem" }).toString()));
  // OpenSSL compares public keys alone, and takes that of an EC key from its text.
  return leaf.checkPrivateKey(key) ? INCONSISTENT : FOREIGN;
}

const FOREIGN = problem("does not belong to the first certificate of tls.crt");
const INCONSISTENT = problem("has numbers that do not belong together");

function parsed(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}

function canonicalForm(key: KeyObject): KeyObject | undefined {
  const kind = key.asymmetricKeyType;
  if (kind !== "rsa" && kind !== "rsa-pss" && kind !== "ec") return key;
  try {
    const der = key.export({ type: "pkcs8", format: "der" });
    const [, , inner = Buffer.alloc(0)] = contentsOf(der);
    const numbers = contentsOf(inner);
    // Not the certificate's: it may say nothing of PSS where its key does.
    const publicKey = createPublicKey(key);
    const rebuilt = kind === "ec" ? ecKey(numbers, publicKey) : rsaKey(numbers);
    if (rebuilt === undefined) return undefined;
    return createPrivateKey({ key: pkcs8(publicKey, rebuilt), format: "der", type: "pkcs8" });
  } catch {
    return undefined;
  }
}

/** PrivateKeyInfo (RFC 5208) with the algorithm of a public key. */
function pkcs8(publicKey: KeyObject, inner: Buffer): Buffer {
  const [algorithm = Buffer.alloc(0)] = contentsOf(
    publicKey.export({ type: "spki", format: "der" }),
  );
  return encoded(
    SEQUENCE,
    encodedInteger(0n),
    encoded(SEQUENCE, algorithm),
    encoded(OCTET_STRING, inner),
  );
}

/** RSAPrivateKey (RFC 8017, A.1.2). Undefined: the numbers are not those of a key with two prime factors. */
function rsaKey(fields: readonly Buffer[]): Buffer | undefined {
  const number = (index: number): bigint => integerOf(fields[index] ?? Buffer.alloc(0)) ?? 0n;
  const [n, e, exponent, inverse] = [number(1), number(2), number(3), number(8)];
  const [p, q] = inDescendingOrder(number(4), number(5));
  if (p * q !== n || q < 3n) return undefined;
  const d = exponent < n ? exponent : exponent % leastCommonMultiple(p - 1n, q - 1n);
  const [dp, dq] = [d % (p - 1n), d % (q - 1n)];
  if ((e * dp) % (p - 1n) !== 1n || (e * dq) % (q - 1n) !== 1n) return undefined;
  // Computing it takes milliseconds, which is a lot for thousands of Secrets.
  const isInverse = inverse < p && (inverse * q) % p === 1n;
  const numbers = [0n, n, e, d, p, q, dp, dq, isInverse ? inverse : inverseOf(q, p)];
  return encoded(SEQUENCE, ...numbers.map(encodedInteger));
}

function inDescendingOrder(a: bigint, b: bigint): readonly [bigint, bigint] {
  return a > b ? [a, b] : [b, a];
}

/** The tag of the field `publicKey`, [1] EXPLICIT. */
const PUBLIC_KEY = 0xa1;

/** ECPrivateKey with the public key that belongs to its number. Throws if the number is none of the curve's. */
function ecKey([, secret = Buffer.alloc(0)]: readonly Buffer[], publicKey: KeyObject): Buffer {
  const { namedCurve = "" } = publicKey.asymmetricKeyDetails ?? {};
  const pair = createECDH(namedCurve);
  pair.setPrivateKey(secret.subarray(secret.findIndex((byte) => byte !== 0)));
  const point = encoded(BIT_STRING, Buffer.from([0]), pair.getPublicKey());
  return encoded(
    SEQUENCE,
    encodedInteger(1n),
    encoded(OCTET_STRING, pair.getPrivateKey()),
    encoded(PUBLIC_KEY, point),
  );
}

function contentsOf(der: Buffer): readonly Buffer[] {
  const whole = element(der, 0);
  return whole === undefined ? [] : elements(der.subarray(whole.start, whole.end));
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}

/** The inverse of `value` modulo a number without a common factor. */
function inverseOf(value: bigint, modulus: bigint): bigint {
  let [r, next] = [modulus, value % modulus];
  let [t, after] = [0n, 1n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [t, after] = [after, t - quotient * after];
  }
  return t < 0n ? t + modulus : t;
}
