import { type X509Certificate, createHash } from "node:crypto";
import type { Secret } from "../api/wire.js";
import type { Report } from "../diagnostics/sink.js";
import { type HostPattern, hostKey } from "../model/values.js";
import type { Certificate } from "../model/listener.js";
import { compareIds, memoized } from "../support/collections.js";
import { own, present } from "../support/json-object.js";
import { type Result, ok, problem } from "../support/result.js";
import { SecretText } from "../support/secret-text.js";
import { parsePemCertificates, slowness, weakness } from "./certificate-strength.js";
import type { TranslateContext } from "./context.js";
import { parentWildcard, parseHostPattern } from "./hostnames.js";
import type { Place } from "./place.js";
import { privateKeyOf } from "./private-keys.js";
import type { NamespacedName } from "./reference-grants.js";
import { hintForUnread } from "./unread-secrets.js";

/** A usable certificate. */
export interface LoadedCertificate {
  readonly id: string;
  readonly secret: NamespacedName;
  /** The hosts in the subjectAltName of its leaf (RFC 9525). */
  readonly names: readonly HostPattern[];
  /** When the leaf expires, as OpenSSL writes it, and in milliseconds since 1970. */
  readonly validTo: string;
  readonly expires: number;
  /** Whether it matches the host; for a wildcard, whether it matches a host below it. */
  readonly isFor: (host: HostPattern) => boolean;
}

/** A certificate, and the field that names it; the option defaultCertificate has no field. */
export interface CertificateUse extends Partial<Place> {
  readonly certificate: Pick<LoadedCertificate, "secret" | "validTo" | "expires">;
}

/** The id is made of the place and the Secret. */
export type IdentifiedUse = CertificateUse & { readonly id: string };

/** Every handshake sends the chain, and each worker keeps thousands of chains. */
const MOST_CHAIN_TEXT = 64 * 1024;
const MOST_CHAINED = 16;

/** Reads certificates from Secrets of type kubernetes.io/tls, each once. */
export class Certificates {
  readonly #context: TranslateContext;
  readonly #read = new Map<string, Result<LoadedCertificate>>();
  readonly #certificates = new Map<string, Certificate>();
  /** By id: routes that are translated again name the same certificates again. */
  readonly #uses = new Map<string, IdentifiedUse>();

  constructor(context: TranslateContext) {
    this.#context = context;
  }

  /** The certificate in the Secret; undefined if it can't be used, which is reported at `place` without its content. */
  load(ref: NamespacedName, place: Place): LoadedCertificate | undefined {
    const result = this.read(ref, place);
    if (result.ok) return result.value;
    const hint = present("hint", hintForUnread(ref, this.#context));
    const report = { message: result.problem, ...hint, ...place };
    this.#context.diagnostics.report({ code: "CERTIFICATE_UNUSABLE", ...report });
    return undefined;
  }

  /** Every certificate that was loaded, by id. */
  collected(): readonly Certificate[] {
    return [...this.#certificates.values()].sort(compareIds);
  }

  /** The fields that name usable certificates. */
  get uses(): readonly IdentifiedUse[] {
    return [...this.#uses.values()].sort(compareIds);
  }

  /** Like `load`, without a report. */
  read(ref: NamespacedName, place: Partial<Place> = {}): Result<LoadedCertificate> {
    const result = this.#readOnce(ref);
    if (result.ok) {
      const { secret, validTo, expires } = result.value;
      const id = JSON.stringify([place.resource, place.field, secret]);
      this.#uses.set(id, { id, ...place, certificate: { secret, validTo, expires } });
    }
    return result;
  }

  #readOnce({ namespace, name }: NamespacedName): Result<LoadedCertificate> {
    const key = `${namespace}/${name}`;
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const secret = this.#context.resources.get("Secret", namespace, name);
    const result =
      secret === undefined
        ? problem<LoadedCertificate>(this.#whyNone({ namespace, name }))
        : this.#parsed(secret);
    this.#read.set(key, result);
    return result;
  }

  #whyNone(ref: NamespacedName): string {
    const secret = `Secret ${ref.namespace}/${ref.name}`;
    return hintForUnread(ref, this.#context) === undefined
      ? `there is no ${secret}`
      : `${secret} is not read`;
  }

  #parsed(secret: Secret): Result<LoadedCertificate> {
    const parsed = parse(secret);
    if (!parsed.ok) return parsed;
    const { certificate, loaded } = parsed.value;
    this.#certificates.set(certificate.id, certificate);
    return ok(loaded);
  }
}

/** Read once, although many objects may name one Secret. */
const parse = memoized(
  (
    secret: Secret,
  ): Result<{ readonly certificate: Certificate; readonly loaded: LoadedCertificate }> => {
    const { namespace, name } = secret.metadata;
    const key = `${namespace}/${name}`;
    if (secret.assumed) return ok(assumedCertificate({ namespace, name }));
    const chain = decoded(secret, "tls.crt");
    const keyText = decoded(secret, "tls.key");
    if (chain === undefined || keyText === undefined) {
      return problem(`Secret ${key} has no ${chain === undefined ? "tls.crt" : "tls.key"}`);
    }
    const parsed = parseChain(chain);
    if (!parsed.ok) return problem(`tls.crt of Secret ${key} ${parsed.problem}`);
    const { leaf, certificates } = parsed.value;
    const privateKey = privateKeyOf(keyText, leaf);
    if (!privateKey.ok) return problem(`tls.key of Secret ${key} ${privateKey.problem}`);
    const names = namesOf(leaf);
    const certificate = certificateOf(certificates, privateKey.value);
    const loaded: LoadedCertificate = {
      id: certificate.id,
      secret: { namespace, name },
      names,
      validTo: leaf.validTo,
      // eslint-disable-next-line no-restricted-globals -- reads a text, not the clock
      expires: Date.parse(leaf.validTo),
      isFor: coverageOf(names),
    };
    return ok({ certificate, loaded });
  },
);

/** The certificate of a stand-in is for every host. */
function assumedCertificate(secret: NamespacedName): {
  readonly certificate: Certificate;
  readonly loaded: LoadedCertificate;
} {
  const id = createHash("sha256").update(`${secret.namespace}/${secret.name}`).digest("hex");
  const chain = `assumed Secret ${secret.namespace}/${secret.name}\n`;
  const loaded = { names: [], validTo: "", expires: Infinity, isFor: () => true };
  return { certificate: { id, chain, key: new SecretText("") }, loaded: { id, secret, ...loaded } };
}

/** The chain is encoded again, so text around the PEM blocks is dropped. */
function certificateOf(certificates: readonly X509Certificate[], key: SecretText): Certificate {
  const chain = certificates.map((certificate) => certificate.toString()).join("");
  const id = createHash("sha256").update(chain).update(key.reveal()).digest("hex");
  return { id, chain, key };
}

function parseChain(text: string): Result<{
  readonly leaf: X509Certificate;
  readonly certificates: readonly X509Certificate[];
}> {
  if (text.length > MOST_CHAIN_TEXT) return problem("is larger than 64 KiB");
  const certificates = parsePemCertificates(text);
  const [leaf] = certificates ?? [];
  if (certificates === undefined || leaf === undefined) {
    return problem("is not a chain of PEM certificates");
  }
  if (certificates.length > MOST_CHAINED) {
    return problem(`has ${certificates.length} certificates; a chain has at most ${MOST_CHAINED}`);
  }
  const bad = slowness(leaf) ?? certificates.map(weakness).find((each) => each !== undefined);
  return bad === undefined ? ok({ leaf, certificates }) : problem(`has ${bad}`);
}

function namesOf({ subjectAltName = "" }: X509Certificate): readonly HostPattern[] {
  return subjectAltName.split(", ").flatMap((entry) => {
    const name = entry.startsWith("DNS:") ? parseHostPattern(entry.slice(4), "one") : undefined;
    return name?.ok === true && name.value.kind !== "any" ? [name.value] : [];
  });
}

/** Whether a certificate that is served matches a host, as `LoadedCertificate.isFor` says. */
export function isCertificateFor(certificate: Certificate, host: HostPattern): boolean {
  return coverageOfServed(certificate)(host);
}

const coverageOfServed = memoized(({ chain }: Certificate) => {
  const [leaf] = parsePemCertificates(chain) ?? [];
  return coverageOf(leaf === undefined ? [] : namesOf(leaf));
});

/** Uses sets, because objects and certificates may have thousands of hosts. */
function coverageOf(names: readonly HostPattern[]): LoadedCertificate["isFor"] {
  const keys = new Set(names.map(hostKey));
  const suffixes = new Set(
    names.flatMap((name) => {
      const host = hostKey(name);
      return [...host.matchAll(/\./g)].map(({ index }) => host.slice(index + 1));
    }),
  );
  return (host) => {
    if (host.kind === "wildcard") return suffixes.has(host.suffix);
    const parent = parentWildcard(host);
    return (
      host.kind === "any" || keys.has(host.host) || (parent && keys.has(hostKey(parent))) === true
    );
  };
}

/** Reports of the certificates that have expired at `now`, in milliseconds since 1970. */
export function expiredCertificates(
  uses: readonly CertificateUse[],
  now: number,
): readonly Report[] {
  const expired = uses.filter(({ certificate }) => certificate.expires <= now);
  return expired.map(({ certificate, resource, field }) => {
    const place = resource && field ? { resource, field } : {};
    const { secret, validTo } = certificate;
    const message = `the certificate of Secret ${secret.namespace}/${secret.name} has expired on ${validTo}`;
    return { code: "CERTIFICATE_EXPIRED", message, ...place };
  });
}

function decoded(secret: Secret, key: string): string | undefined {
  const base64 = own(secret.data, key);
  return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString("latin1");
}
