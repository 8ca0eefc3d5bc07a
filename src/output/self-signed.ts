/** The certificate that answers where no other is for the name, so that no handshake fails for lack of one. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { BIT_STRING, SEQUENCE, encoded, encodedInteger } from "../support/der.js";

const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const SET = 0x31;
const GENERALIZED_TIME = 0x18;
const VERSION = 0xa0;

const COMMON_NAME = encoded(OBJECT_IDENTIFIER, Buffer.from("550403", "hex"));
const ECDSA_WITH_SHA256 = encoded(OBJECT_IDENTIFIER, Buffer.from("2a8648ce3d040302", "hex"));
const SERIAL_BYTES = 16;

/**
 * A new certificate (RFC 5280) that is for no host and signed with its own key, P-256, and that key: PEM. It never expires, because
 * nobody trusts it anyway.
 */
export function selfSigned(): string {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = encoded(SEQUENCE, ECDSA_WITH_SHA256);
  const text = encoded(UTF8_STRING, Buffer.from("albc self-signed certificate"));
  const name = encoded(SEQUENCE, encoded(SET, encoded(SEQUENCE, COMMON_NAME, text)));
  const signed = encoded(
    SEQUENCE,
    encoded(VERSION, encodedInteger(2n)),
    encodedInteger(BigInt(`0x${randomBytes(SERIAL_BYTES).toString("hex")}`)),
    algorithm,
    name,
    encoded(SEQUENCE, time("20240101000000Z"), time("99991231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = encoded(BIT_STRING, Buffer.from([0]), sign("sha256", signed, privateKey));
  const certificate = encoded(SEQUENCE, signed, algorithm, signature);
  const lines = certificate.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  const pem = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  return pem + privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function time(text: string): Buffer {
  return encoded(GENERALIZED_TIME, Buffer.from(text));
}
