import { createHash, createPrivateKey } from "node:crypto";
import type { KeyObject, X509Certificate } from "node:crypto";
import type { Secret } from "../api/core.js";
import type { Certificate } from "../ir/listener.js";
import { compareStrings } from "../support/compare.js";
import type { Result } from "../support/result.js";
import { ok, problem } from "../support/result.js";
import { SecretText } from "../support/secret-text.js";
import { weakness } from "./certificate-strength.js";
import type { TranslateContext } from "./context.js";
import { parsePemCertificates } from "./pem-certificates.js";
import type { Place } from "./place.js";
import type { NamespacedName } from "./references.js";
import { own } from "../support/own.js";

/** A usable certificate and what its leaf is for. */
export interface LoadedCertificate {
  readonly id: string;
  readonly leaf: X509Certificate;
}

/** Reads certificates from Secrets of type kubernetes.io/tls, each once. */
export class Certificates {
  readonly #context: TranslateContext;
  readonly #read = new Map<string, Result<LoadedCertificate>>();
  readonly #certificates = new Map<string, Certificate>();

  constructor(context: TranslateContext) {
    this.#context = context;
  }

  /** The certificate in the secret; undefined when it can't be used, which is reported at `place` without its content. */
  load(ref: NamespacedName, place: Place): LoadedCertificate | undefined {
    const result = this.read(ref);
    if (result.ok) return result.value;
    const { diagnostics } = this.#context;
    diagnostics.report({ code: "CERTIFICATE_UNUSABLE", message: result.problem, ...place });
    return undefined;
  }

  /** Every certificate that was loaded, by id. */
  collected(): readonly Certificate[] {
    return [...this.#certificates.values()].sort((a, b) => compareStrings(a.id, b.id));
  }

  /** The same without a report. */
  read({ namespace, name }: NamespacedName): Result<LoadedCertificate> {
    const key = `${namespace}/${name}`;
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const secret = this.#context.resources.get("Secret", namespace, name);
    const result =
      secret === undefined
        ? problem<LoadedCertificate>(this.#whyNone(namespace, key))
        : this.#parse(secret, key);
    this.#read.set(key, result);
    return result;
  }

  #whyNone(namespace: string, key: string): string {
    const { secretNamespaces } = this.#context.options;
    return secretNamespaces.includes("*") || secretNamespaces.includes(namespace)
      ? `there is no Secret ${key}`
      : `Secret ${key} can't be read: namespace ${namespace} is not in the option secretNamespaces (the overlay cluster-secrets reads all)`;
  }

  #parse(secret: Secret, key: string): Result<LoadedCertificate> {
    const chain = decoded(secret, "tls.crt");
    const keyText = decoded(secret, "tls.key");
    if (chain === undefined || keyText === undefined) {
      return problem(`Secret ${key} has no ${chain === undefined ? "tls.crt" : "tls.key"}`);
    }
    const certificates = parsePemCertificates(chain);
    const [leaf] = certificates ?? [];
    if (certificates === undefined || leaf === undefined) {
      return problem(`tls.crt of Secret ${key} is not a chain of PEM certificates`);
    }
    const weak = certificates.map(weakness).find((each) => each !== undefined);
    if (weak !== undefined) return problem(`tls.crt of Secret ${key} has ${weak}`);
    const privateKey = parseKey(keyText);
    if (privateKey === undefined) {
      return problem(`tls.key of Secret ${key} is not an unencrypted PEM private key`);
    }
    if (!leaf.checkPrivateKey(privateKey)) {
      return problem(
        `tls.key of Secret ${key} does not belong to the first certificate of tls.crt`,
      );
    }
    return ok({ id: this.#collect(certificates, privateKey), leaf });
  }

  /** Chain and key are written anew, so that text around the PEM blocks goes nowhere. */
  #collect(certificates: readonly X509Certificate[], key: KeyObject): string {
    const chain = certificates.map((certificate) => certificate.toString()).join("");
    const keyText = key.export({ type: "pkcs8", format: "pem" }).toString();
    const id = createHash("sha256").update(chain).update(keyText).digest("hex");
    this.#certificates.set(id, { id, chain, key: new SecretText(keyText) });
    return id;
  }
}

function decoded(secret: Secret, key: string): string | undefined {
  const data = secret.data ?? {};
  const base64 = own(data, key);
  return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString("latin1");
}

function parseKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}
