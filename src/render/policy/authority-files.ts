/** Files with certificate authorities. They are no secrets, but like those they are named by a digest of what is in them. */
import { createHash } from "node:crypto";
import type { RoutingModel } from "../../model/config.js";
import type { RenderedFile } from "../rendered-file.js";

/** `authorities/<digest>.pem`. */
export function authorityFile(pem: string): RenderedFile {
  const contents = `${pem.trim()}\n`;
  const digest = createHash("sha256").update(contents).digest("hex").slice(0, 32);
  return { path: `authorities/${digest}.pem`, contents, mode: 0o644 };
}

/** The files of all authorities that listeners and backends are checked by. */
export function authorityFiles(config: RoutingModel): readonly RenderedFile[] {
  const clients = config.listeners.flatMap(({ clientCertificates }) =>
    clientCertificates === undefined ? [] : [clientCertificates.authorities],
  );
  const backends = config.backendTls.flatMap(({ authorities }) =>
    authorities.kind === "pem" ? [authorities.pem] : [],
  );
  return [...clients, ...backends].map(authorityFile);
}
