import { X509Certificate } from "node:crypto";

/** The names and the end of the first certificate of a PEM text, which may hold its key, too. */
export function certificateText(pem: string): string {
  const [text] = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/s.exec(pem) ?? [];
  if (text === undefined) return /^assumed .+/m.exec(pem)?.[0] ?? "unreadable";
  const { subjectAltName = "", validTo, fingerprint256 } = new X509Certificate(text);
  const end = new Date(validTo);
  const until = `${end.getTime() < Date.now() ? "expired on" : "until"} ${end.toISOString().slice(0, 10)}`;
  const digest = fingerprint256.replaceAll(":", "").slice(0, 16).toLowerCase();
  return `${subjectAltName.replaceAll("DNS:", "")} ${until}, SHA-256 ${digest}…`;
}
