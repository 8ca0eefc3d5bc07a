import { X509Certificate } from "node:crypto";

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The PEM blocks of a text (RFC 7468), what stands around them left out; undefined when one of them is no certificate. */
export function parsePemCertificates(text: string): readonly X509Certificate[] | undefined {
  const blocks = text.match(PEM_CERTIFICATE) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return undefined;
  }
}
