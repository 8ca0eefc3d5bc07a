// A self-signed certificate for the TLS example, made on the user's machine: no private key is in the
// repository.
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HOST = "secure.localhost";
const DAY = 24 * 60 * 60 * 1000;

/** Is there a certificate that is good for another day? */
function isUsable(file) {
  return (
    existsSync(file) &&
    Date.parse(new X509Certificate(readFileSync(file)).validTo) > Date.now() + DAY
  );
}

function make(certificate, key) {
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
      ...["-days", "365", "-subj", `/CN=${HOST}`, "-addext", `subjectAltName=DNS:${HOST}`],
      ...["-out", certificate, "-keyout", key],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
}

/**
 * Fills the template with a certificate and writes the manifest into `folder`; both are kept for later runs.
 * @returns {{manifest: string, certificate: string}} the files
 */
export function makeTlsManifest(template, folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const certificate = join(folder, "certificate.pem");
  const key = join(folder, "key.pem");
  const manifest = join(folder, "tls.yaml");
  if (!isUsable(certificate) || !existsSync(key)) make(certificate, key);
  const text = readFileSync(template, "utf8")
    .replace("${CERTIFICATE}", readFileSync(certificate, "base64"))
    .replace("${KEY}", readFileSync(key, "base64"));
  writeFileSync(manifest, text, { mode: 0o600 });
  return { manifest, certificate };
}
