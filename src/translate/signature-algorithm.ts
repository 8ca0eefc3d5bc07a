/** How a certificate is signed, which node:crypto tells only from Node 24 on: read from its DER (RFC 5280, 4.1; X.690, 8.1). */

/** Object identifiers, as hexadecimal of their DER contents (RFC 3279, 2.2; RFC 8017, A.2; RFC 3279, 2.2.3). */
const WEAK: ReadonlyMap<string, string> = new Map([
  ["2a864886f70d010102", "MD2"],
  ["2a864886f70d010103", "MD4"],
  ["2a864886f70d010104", "MD5"],
  ["2a864886f70d010105", "SHA-1"],
  ["2b0e03021d", "SHA-1"],
  ["2a8648ce3d0401", "SHA-1"],
  ["2a8648ce380403", "SHA-1"],
]);
const RSA_PSS = "2a864886f70d01010a";
/** Begins the identifiers of SHA-2 and SHA-3: 2.16.840.1.101.3.4.2. */
const STRONG_DIGEST = Buffer.from("6086480165030402", "hex");

/** The digest with which the certificate is signed, when it is one that nobody trusts any more; takes the certificate as DER. */
export function signatureAlgorithm(der: Buffer): string | undefined {
  const certificate = element(der, 0);
  const signed = certificate && element(der, certificate.start);
  const algorithm = signed && element(der, signed.end);
  const identifier = algorithm && element(der, algorithm.start);
  if (algorithm === undefined || identifier === undefined) return undefined;
  const name = der.subarray(identifier.start, identifier.end).toString("hex");
  if (name !== RSA_PSS) return WEAK.get(name);
  // Without parameters its digest is SHA-1 (RFC 8017, A.2.3).
  const parameters = der.subarray(identifier.end, algorithm.end);
  return parameters.includes(STRONG_DIGEST) ? undefined : "SHA-1";
}

interface Contents {
  readonly start: number;
  readonly end: number;
}

/** Where the contents are of the element that begins at `at`; undefined when it does not fit. */
function element(der: Buffer, at: number): Contents | undefined {
  const first = der[at + 1];
  if (first === undefined) return undefined;
  const count = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + count;
  if (count > 4 || start > der.length) return undefined;
  const length = count === 0 ? first : der.readUIntBE(at + 2, count);
  return start + length <= der.length ? { start, end: start + length } : undefined;
}
