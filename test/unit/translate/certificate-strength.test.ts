import { generateKeyPairSync, X509Certificate } from "node:crypto";
import {
  Authority,
  type KeyPair,
  selfSigned,
  selfSignedWith,
} from "../../../e2e/harness/certificates.js";
import {
  isWeakAuthority,
  keyWeakness,
  signatureAlgorithm,
  slowness,
  weakness,
} from "../../../src/translate/certificate-strength.js";

const RSA_1024 = ["-newkey", "rsa:1024"];
const PSS = ["-newkey", "rsa:2048", "-sigopt", "rsa_padding_mode:pss"];
const curve = (name: string): readonly string[] => [
  ...["-newkey", "ec", "-pkeyopt", `ec_paramgen_curve:${name}`],
];
const weaknessOf = ({ certificate }: KeyPair): string | undefined =>
  weakness(new X509Certificate(certificate));

describe("a certificate", () => {
  it.each<[string, readonly string[]]>([
    ["RSA 2048", ["-newkey", "rsa:2048"]],
    ["RSA-PSS", PSS],
    ["P-256", curve("prime256v1")],
    ["P-384", curve("secp384r1")],
    ["P-521", curve("secp521r1")],
    ["Ed25519", ["-newkey", "ed25519"]],
    ["SHA-1, signed by itself", ["-sha1"]],
  ])("of %s is strong enough", async (_what, options) => {
    expect(weaknessOf(await selfSignedWith(options, "a.example"))).toBeUndefined();
  });

  it.each<[string, readonly string[]]>([
    ["an RSA key of 512 bits", ["-newkey", "rsa:512", "-sha256"]],
    ["an RSA key of 1024 bits", RSA_1024],
    ["an EC key on prime192v1", curve("prime192v1")],
  ])("of %s is too weak", async (what, options) => {
    const pair = await selfSignedWith(options, "a.example");
    expect(weaknessOf(pair)).toMatch(new RegExp(`^${what}, which TLS refuses; issue one with`));
  });

  it.each([
    ["SHA-1", ["-sha1"]],
    [undefined, ["-sha256"]],
    [undefined, ["-sha384"]],
  ])("that an authority has signed with %s", async (digest, options) => {
    const pair = await (await Authority.create()).issueWith(options, "a.example");
    const said = digest && `a signature with ${digest}, which TLS refuses; issue one`;
    expect(weaknessOf(pair)?.slice(0, said?.length)).toBe(said);
  });
});

it.each([
  ["MD5", ["-newkey", "rsa:2048", "-md5"]],
  ["SHA-1", ["-newkey", "rsa:2048", "-sha1"]],
  ["SHA-1", [...PSS, "-sha1"]],
  [undefined, [...PSS, "-sha256"]],
])("a signature with RSA and %s is told by its identifier", async (digest, options) => {
  const { certificate } = await selfSignedWith(options, "a.example");
  expect(signatureAlgorithm(new X509Certificate(certificate).raw)).toBe(digest);
});

it("a key of kind DSA is too weak, whatever its size", () => {
  const { publicKey } = generateKeyPairSync("dsa", { modulusLength: 1024, divisorLength: 160 });
  expect(keyWeakness(publicKey)).toBe("a key of kind DSA");
});

it("an authority is weak by its key only", async () => {
  const [weak, strong] = await Promise.all([selfSignedWith(RSA_1024, "ca"), selfSigned("ca")]);
  expect(isWeakAuthority(new X509Certificate(weak.certificate))).toBe(true);
  expect(isWeakAuthority(new X509Certificate(strong.certificate))).toBe(false);
});

it.each([
  [2048, undefined],
  [4096, undefined],
  [4104, "an RSA key of 4104 bits, with which each handshake takes too long; issue one with"],
])(
  "an RSA key of %i bits signs handshakes fast enough, or is refused",
  async (bits, said) => {
    const pair = await selfSignedWith(["-newkey", `rsa:${bits}`], "a.example");
    expect(slowness(new X509Certificate(pair.certificate))?.slice(0, said?.length)).toBe(said);
  },
  60_000,
);
