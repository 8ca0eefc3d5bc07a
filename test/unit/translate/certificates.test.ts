import { createPrivateKey } from "node:crypto";
import {
  Authority,
  type KeyPair,
  selfSigned,
  selfSignedWith,
} from "../../../e2e/harness/certificates.js";
import { DiagnosticSink } from "../../../src/diagnostics/sink.js";
import { resourcesFromObjects } from "../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { type HostPattern, hostKey } from "../../../src/model/values.js";
import { Certificates, expiredCertificates } from "../../../src/translate/certificates.js";
import { hintForUnread } from "../../../src/translate/unread-secrets.js";
import { parseHostPattern } from "../../../src/translate/hostnames.js";

const RESOURCE = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  namespace: "shop",
  name: "web",
};
const PLACE = { resource: RESOURCE, field: ["spec", "tls", 0] };
const REF = { namespace: "shop", name: "a" };

/** What a Secret holds, as texts. */
type Data = Readonly<Record<string, string>>;

function keys({ certificate, key }: KeyPair): Data {
  return { "tls.crt": certificate, "tls.key": key };
}

function secret(name: string, stringData: Data): object {
  // An API server refuses a Secret of this type without both keys, but not one of another type.
  const type = Object.keys(stringData).length === 2 ? "kubernetes.io/tls" : "Opaque";
  const metadata = { name, namespace: "shop" };
  return { apiVersion: "v1", kind: "Secret", type, metadata, stringData };
}

/** The Secrets `shop/<name>`. */
function world(secrets: Readonly<Record<string, Data>>, secretNamespaces = ["*"]) {
  const { resources } = resourcesFromObjects(
    Object.entries(secrets).map(([name, data]) => secret(name, data)),
  );
  const diagnostics = new DiagnosticSink();
  const options = { ...DEFAULT_OPTIONS, secretNamespaces };
  const context = { resources, options, diagnostics };
  return { certificates: new Certificates(context), diagnostics, context };
}

/** Why the certificate of a Secret with this data can't be used. */
function problemOf(data: Data): string {
  const { certificates } = world({ a: data });
  const result = certificates.read(REF);
  expect([certificates.collected(), certificates.uses]).toEqual([[], []]);
  return result.ok ? "" : result.problem;
}

function host(text: string): HostPattern {
  const parsed = parseHostPattern(text, "one");
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}

let one: KeyPair;
let other: KeyPair;
beforeAll(async () => {
  [one, other] = await Promise.all([selfSigned("a.example"), selfSigned("b.example")]);
});

describe("a Secret", () => {
  it("that is missing or lacks a key is reported without its content, in the object that names it", () => {
    const { certificates, diagnostics } = world({ a: { "tls.crt": one.certificate } });
    expect(certificates.load(REF, PLACE)).toBeUndefined();
    expect(certificates.load({ ...REF, name: "b" }, PLACE)).toBeUndefined();
    const at = { code: "CERTIFICATE_UNUSABLE", ...PLACE };
    expect(diagnostics.reports).toEqual([
      { ...at, message: "Secret shop/a has no tls.key" },
      { ...at, message: "there is no Secret shop/b" },
    ]);
  });

  it.each<[string, (pair: KeyPair, other: KeyPair) => Data, string]>([
    ["without a certificate", ({ key }) => ({ "tls.key": key }), "Secret shop/a has no tls.crt"],
    [
      "whose certificate is none",
      (pair) => ({ ...keys(pair), "tls.crt": "hello" }),
      "tls.crt of Secret shop/a is not a chain of PEM certificates",
    ],
    [
      "whose certificate is broken",
      (pair) => ({ ...keys(pair), "tls.crt": pair.certificate.replace("MII", "MIX") }),
      "tls.crt of Secret shop/a is not a chain of PEM certificates",
    ],
    [
      "whose key is none",
      (pair) => ({ ...keys(pair), "tls.key": pair.certificate }),
      "tls.key of Secret shop/a is not an unencrypted PEM private key",
    ],
    [
      "whose key is encrypted",
      (pair) => {
        const as = {
          type: "pkcs8",
          format: "pem",
          cipher: "aes-256-cbc",
          passphrase: "p",
        } as const;
        const key = createPrivateKey(pair.key).export(as).toString();
        return { ...keys(pair), "tls.key": key };
      },
      "tls.key of Secret shop/a is not an unencrypted PEM private key",
    ],
    [
      "whose key is another's",
      (pair, { key }) => ({ ...keys(pair), "tls.key": key }),
      "tls.key of Secret shop/a does not belong to the first certificate of tls.crt",
    ],
    [
      "whose chain begins with another certificate",
      (pair, { certificate }) => ({ ...keys(pair), "tls.crt": certificate + pair.certificate }),
      "tls.key of Secret shop/a does not belong to the first certificate of tls.crt",
    ],
  ])("%s can't be used", (_what, data, message) => {
    expect(problemOf(data(one, other))).toBe(message);
  });

  it("has a chain that is bounded in certificates and in size", () => {
    const withChain = (rest: string): Data => ({ ...keys(one), "tls.crt": one.certificate + rest });
    expect(world({ a: withChain(one.certificate.repeat(15)) }).certificates.read(REF).ok).toBe(
      true,
    );
    expect(problemOf(withChain(one.certificate.repeat(16)))).toBe(
      "tls.crt of Secret shop/a has 17 certificates; a chain has at most 16",
    );
    expect(problemOf(withChain("x".repeat(64 * 1024)))).toBe(
      "tls.crt of Secret shop/a is larger than 64 KiB",
    );
  });

  it("has no weak certificate anywhere in its chain", async () => {
    const weak = await selfSignedWith(["-newkey", "rsa:1024"], "ca");
    const chain = { ...keys(one), "tls.crt": one.certificate + weak.certificate };
    expect(problemOf(chain)).toMatch(
      /^tls\.crt of Secret shop\/a has an RSA key of 1024 bits, which TLS/,
    );
  });

  it("has no leaf whose key makes handshakes slow", async () => {
    const slow = await selfSignedWith(["-newkey", "rsa:4104"], "a.example");
    expect(problemOf(keys(slow))).toMatch(
      /^tls\.crt of Secret shop\/a has an RSA key of 4104 bits, with which/,
    );
  }, 60_000);

  it("that albc may not read is said to be so, with what to do about it", () => {
    const { certificates, diagnostics, context } = world({ a: {} }, ["albc"]);
    certificates.load({ namespace: "desk", name: "b" }, PLACE);
    const [report] = diagnostics.reports;
    expect(report?.message).toBe("Secret desk/b is not read");
    expect(report?.hint).toMatch(/^namespace desk is not in the option secretNamespaces: name it/);
    // One that is there can be read.
    expect(hintForUnread(REF, context)).toBeUndefined();
    for (const namespaces of [["*"], ["desk"]]) {
      const readable = world({}, namespaces).context;
      expect(hintForUnread({ namespace: "desk", name: "b" }, readable)).toBeUndefined();
    }
  });
});

describe("a usable certificate", () => {
  it("is collected once, with its chain and without the text around the PEM blocks", async () => {
    const authority = await Authority.create();
    const leaf = await authority.issue("a.example");
    const chain = `subject=a\n${leaf.certificate}\n# issuer\n${authority.pair.certificate}`;
    const { certificates } = world({ a: { ...keys(leaf), "tls.crt": chain }, b: keys(leaf) });
    const loaded = certificates.load(REF, PLACE);
    certificates.load(REF, PLACE);
    const [certificate, ...others] = certificates.collected();
    expect(others).toEqual([]);
    expect(certificate?.id).toBe(loaded?.id);
    expect(certificate?.id).toMatch(/^[0-9a-f]{64}$/);
    expect(certificate?.chain).toBe(leaf.certificate + authority.pair.certificate);
    expect(certificate?.key.reveal()).toBe(leaf.key);
    expect(JSON.stringify(certificates.collected())).not.toContain("PRIVATE KEY");
  });

  it("has another id with another chain, and the same one in another Secret", () => {
    const longer = { ...keys(one), "tls.crt": one.certificate + other.certificate };
    const { certificates } = world({ a: keys(one), b: keys(one), c: longer });
    const [a, b, c] = ["a", "b", "c"].map((name) => certificates.load({ ...REF, name }, PLACE)?.id);
    expect(a).toBe(b);
    expect(a).not.toBe(c);
    expect(certificates.collected().map(({ id }) => id)).toEqual([a, c].sort());
  });

  it("has the hosts of its subjectAltName, which are neither addresses nor URIs", async () => {
    const pair = await selfSigned("A.example", "*.b.example", "192.0.2.1", "URI:c.example");
    const loaded = world({ a: keys(pair) }).certificates.load(REF, PLACE);
    expect(loaded?.names.map(hostKey)).toEqual(["a.example", "*.b.example"]);
  });

  it.each([
    ["a.example", true],
    ["b.example", false],
    ["x.a.example", false],
    ["x.wild.example", true],
    ["y.x.wild.example", false],
    ["wild.example", false],
    ["*.wild.example", true],
    ["*.x.wild.example", false],
    // A host below it has a certificate: a.example, x.wild.example.
    ["*.example", true],
    ["*.a.example", false],
    ["*.test", false],
  ])("for a.example and *.wild.example matches %s: %s", async (text, matches) => {
    wild ??= await selfSigned("a.example", "*.wild.example");
    const loaded = world({ a: keys(wild) }).certificates.load(REF, PLACE);
    expect(loaded?.isFor(host(text))).toBe(matches);
    expect(loaded?.isFor({ kind: "any" })).toBe(true);
  });
  let wild: KeyPair | undefined;
});

describe("the uses of certificates", () => {
  it("are the fields that name usable ones, each once", () => {
    const { certificates } = world({ a: keys(one), b: keys(other) });
    const field = ["spec", "tls", 1];
    certificates.load({ ...REF, name: "b" }, { ...PLACE, field });
    certificates.load(REF, { ...PLACE, field });
    certificates.load(REF, PLACE);
    certificates.load(REF, PLACE);
    certificates.read(REF);
    certificates.read({ ...REF, name: "c" }, PLACE);
    expect(
      certificates.uses.map(
        ({
          certificate: {
            secret: { name },
          },
          field: at,
        }) => [name, at],
      ),
    ).toEqual([
      ["a", undefined],
      ["a", PLACE.field],
      ["a", field],
      ["b", field],
    ]);
    const ids = certificates.uses.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
  });

  it("are reported once their certificates expire, not before", () => {
    const { certificates } = world({ a: keys(one) });
    const loaded = certificates.load(REF, PLACE);
    const { expires = 0, validTo = "" } = loaded ?? {};
    expect(expires).toBe(Date.parse(validTo));
    expect(expires).toBeGreaterThan(Date.now());
    certificates.read(REF);
    expect(expiredCertificates(certificates.uses, expires - 1)).toEqual([]);
    const message = `the certificate of Secret shop/a has expired on ${validTo}`;
    expect(expiredCertificates(certificates.uses, expires)).toEqual([
      { code: "CERTIFICATE_EXPIRED", message },
      { code: "CERTIFICATE_EXPIRED", message, ...PLACE },
    ]);
  });
});
