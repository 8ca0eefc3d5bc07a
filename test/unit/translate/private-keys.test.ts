import { X509Certificate, createPrivateKey, generateKeyPairSync } from "node:crypto";
import { selfSignedWith } from "../../../e2e/harness/certificates.js";
import {
  OCTET_STRING,
  SEQUENCE,
  element,
  elements,
  encoded,
  encodedInteger,
  integerOf,
} from "../../../src/support/der.js";
import { privateKeyOf } from "../../../src/translate/private-keys.js";

interface Pair {
  readonly leaf: X509Certificate;
  readonly pem: string;
  /** PKCS #8: version, algorithm, and the key itself. */
  readonly parts: readonly Buffer[];
}

async function pair(algorithm: readonly string[]): Promise<Pair> {
  const { certificate, key } = await selfSignedWith(["-newkey", ...algorithm], "a.example");
  const der = createPrivateKey(key).export({ type: "pkcs8", format: "der" });
  return { leaf: new X509Certificate(certificate), pem: key, parts: contents(der) };
}

function contents(der: Buffer): readonly Buffer[] {
  const whole = element(der, 0);
  return whole === undefined ? [] : elements(der.subarray(whole.start, whole.end));
}

function withInner({ parts: [, algorithm = Buffer.alloc(0)] }: Pair, inner: Buffer): string {
  const version = encodedInteger(0n);
  const key = encoded(OCTET_STRING, inner);
  const der = encoded(SEQUENCE, version, encoded(SEQUENCE, algorithm), key);
  return `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`;
}

/** The text that is served, or the problem. */
function outcome(text: string, { leaf }: Pair): string {
  const key = privateKeyOf(text, leaf);
  return key.ok ? key.value.reveal() : key.problem;
}

describe.each([
  ["RSA", ["rsa:2048"]],
  ["RSA-PSS", ["rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048"]],
])("%s:", (_kind, algorithm) => {
  let own: Pair;
  let numbers: readonly bigint[];
  beforeAll(async () => {
    own = await pair(algorithm);
    const inner = own.parts[2] ?? Buffer.alloc(0);
    numbers = contents(inner).map((each) => integerOf(each) ?? -1n);
  });

  /** The numbers of RSAPrivateKey (RFC 8017, A.1.2) with others in some places. */
  function withNumbers(over: Readonly<Record<number, bigint>>): string {
    const all = numbers.map((number, index) => over[index] ?? number);
    return withInner(own, encoded(SEQUENCE, ...all.map(encodedInteger)));
  }

  const at = (index: number): bigint => numbers[index] ?? 0n;

  test("a usual key is served as it is", () => {
    expect(outcome(own.pem, own)).toBe(own.pem);
  });

  test.each([1n, 1n << 64n, 1n << 2100n, 1n << 16_384n])(
    "exponents and a coefficient that are %d periods too long make the same key",
    (k) => {
      const [p, q] = [at(4), at(5)];
      const longer = [
        { 6: at(6) + k * (p - 1n) },
        { 7: at(7) + k * (q - 1n) },
        { 8: at(8) + k * p },
        { 6: at(6) + k * (p - 1n), 7: at(7) + k * (q - 1n), 8: at(8) + k * p },
      ];
      for (const over of longer) expect(outcome(withNumbers(over), own)).toBe(own.pem);
      const long = outcome(withNumbers({ 3: at(3) + k * (p - 1n) * (q - 1n) }), own);
      expect(long).toMatch(/^-----BEGIN PRIVATE KEY/);
      expect(long.length).toBeLessThan(own.pem.length + 10);
    },
  );

  test("primes in the other order, with their numbers, make the same key", () => {
    const swapped = { 4: at(5), 5: at(4), 6: at(7), 7: at(6) };
    expect(outcome(withNumbers(swapped), own)).toBe(own.pem);
  });

  test("numbers of no such key are refused", () => {
    for (const index of [3, 4, 5]) {
      for (const wrong of [0n, 1n, 2n, at(index) + 2n, at(1)]) {
        expect(outcome(withNumbers({ [index]: wrong }), own)).toMatch(
          /numbers that do not belong together|is not an unencrypted PEM private key/,
        );
      }
    }
  });

  test("wrong numbers that follow from others are computed", () => {
    for (const index of [6, 7, 8]) {
      for (const wrong of [0n, 1n, at(1)]) {
        expect(outcome(withNumbers({ [index]: wrong }), own)).toBe(own.pem);
      }
    }
  });
});

describe.each(["prime256v1", "secp384r1", "secp521r1", "brainpoolP256r1"])("EC on %s:", (curve) => {
  let own: Pair;
  let secret: Buffer;
  let publicKey: Buffer;
  beforeAll(async () => {
    own = await pair(["ec", "-pkeyopt", `ec_paramgen_curve:${curve}`]);
    const [, number = Buffer.alloc(0), point = Buffer.alloc(0)] = contents(
      own.parts[2] ?? Buffer.alloc(0),
    );
    [secret, publicKey] = [number, point];
  });

  const TAGGED = 0xa1;
  const withSecret = (number: Buffer, point = publicKey): string =>
    withInner(
      own,
      encoded(
        SEQUENCE,
        encodedInteger(1n),
        encoded(OCTET_STRING, number),
        ...(point.length > 0 ? [encoded(TAGGED, point)] : []),
      ),
    );

  test("a key is the same with zeros before its number, and without its public key", () => {
    const usual = outcome(own.pem, own);
    expect(usual).toMatch(/^-----BEGIN PRIVATE KEY/);
    for (const zeros of [0, 1, 200]) {
      const longer = Buffer.concat([Buffer.alloc(zeros), secret]);
      expect(outcome(withSecret(longer), own)).toBe(usual);
      expect(outcome(withSecret(longer, Buffer.alloc(0)), own)).toBe(usual);
    }
  });

  test("the number of another key is refused, although the public key fits", () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: curve });
    const inner = contents(privateKey.export({ type: "pkcs8", format: "der" }))[2];
    const [, other = Buffer.alloc(0)] = contents(inner ?? Buffer.alloc(0));
    for (const number of [other, Buffer.alloc(32), Buffer.alloc(66, 0xff)]) {
      expect(outcome(withSecret(number), own)).toMatch(
        /numbers that do not belong together|is not an unencrypted PEM private key/,
      );
    }
  });
});

test("keys of other kinds stay, and no text but a key's is served", async () => {
  const own = await pair(["ed25519"]);
  expect(outcome(`some text\n${own.pem}more`, own)).toBe(own.pem);
  expect(outcome("none", own)).toBe("is not an unencrypted PEM private key");
  const other = await pair(["ed25519"]);
  expect(outcome(other.pem, own)).toBe("does not belong to the first certificate of tls.crt");
});
