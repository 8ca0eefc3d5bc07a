/** Files with secrets and with certificate authorities. They are named after their contents, so a file never changes. */
import { createHash } from "node:crypto";
import type { CredentialSet } from "../../model/auth.js";
import type { RoutingModel } from "../../model/config.js";
import type { Certificate } from "../../model/listener.js";
import { compareStrings, memoized } from "../../support/collections.js";
import { SecretText } from "../../support/secret-text.js";
import type { RenderedFile } from "../rendered-file.js";
import { canonicalJson } from "./canonical-json.js";

export const credentialsFile = memoized(({ entries }: CredentialSet) =>
  secretFile("credentials", "json", `${canonicalJson(entries)}\n`),
);

/** PEM: the key, then the chain with the leaf first. */
export const certificateFile = memoized(({ key, chain }: Certificate) =>
  secretFile("certificates", "pem", `${key.reveal().trim()}\n${chain.trim()}\n`),
);

/** `authorities/<digest>.pem`. */
export function authorityFile(pem: string): RenderedFile {
  const contents = `${pem.trim()}\n`;
  return { path: `authorities/${digestOf(contents)}.pem`, contents, mode: 0o644 };
}

/** The files of all authorities for client certificates and for backends. */
export function authorityFiles(config: RoutingModel): readonly RenderedFile[] {
  const clients = config.listeners.flatMap(({ clientCertificates }) =>
    clientCertificates === undefined ? [] : [clientCertificates.authorities],
  );
  const backends = config.backendTls.flatMap(({ authorities }) =>
    authorities.kind === "pem" ? [authorities.pem] : [],
  );
  return [...clients, ...backends].map(authorityFile);
}

/** Each file once, sorted by path: equal secrets of different objects are one file. */
export function distinctFiles(files: Iterable<RenderedFile>): readonly RenderedFile[] {
  const byPath = new Map([...files].map((file) => [file.path, file]));
  return [...byPath.values()].sort((a, b) => compareStrings(a.path, b.path));
}

function secretFile(folder: string, suffix: string, contents: string): RenderedFile {
  const path = `${folder}/${digestOf(contents)}.${suffix}`;
  return { path, contents: new SecretText(contents), mode: 0o600 };
}

export function digestOf(contents: string): string {
  return createHash("sha256").update(contents).digest("hex").slice(0, 32);
}
