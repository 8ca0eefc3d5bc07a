/**
 * What templates/partials/backend-tls.conf.hbs prints: a hop inside nginx for backends whose certificate is checked. Authorities and
 * client certificates are directives that can't depend on a request, so each BackendTls has locations and pools of its own.
 */
import type { BackendTls } from "../../model/backend-tls.js";
import type { RoutingModel } from "../../model/config.js";
import { authorityFile } from "../policy/named-files.js";
import { identifier, type NginxText, word } from "./text.js";

/** The machine's own, which whoever starts nginx puts there (src/output/environment.ts). */
const SYSTEM_AUTHORITIES = "environment/ca.pem";

/** `certificates`: paths of the certificate files by id. False: there is none, and no hop. */
export function backendTlsView(
  config: RoutingModel,
  certificates: ReadonlyMap<string, string>,
): object | false {
  if (config.backendTls.length === 0) return false;
  return {
    pools: config.backendTls.map(({ id }) => ({ id: identifier(id) })),
    profiles: config.backendTls.map((tls) => profileView(tls, certificates)),
  };
}

function profileView(tls: BackendTls, certificates: ReadonlyMap<string, string>): object {
  return {
    id: identifier(tls.id),
    named: tls.hostname !== undefined,
    verified: tls.authorities.kind !== "none",
    inLua: tls.inLua === true,
    authorities: word(authoritiesPath(tls)),
    certificate: certificatePath(tls, certificates) ?? false,
  };
}

/** Where nothing is verified, the file is not read. */
export function authoritiesPath({ authorities }: BackendTls): string {
  return authorities.kind === "pem" ? authorityFile(authorities.pem).path : SYSTEM_AUTHORITIES;
}

function certificatePath(
  { id, clientCertificate }: BackendTls,
  certificates: ReadonlyMap<string, string>,
): NginxText | undefined {
  if (clientCertificate === undefined) return undefined;
  const path = certificates.get(clientCertificate);
  // Without it backends would be asked by nobody in particular.
  if (path === undefined) throw new Error(`no certificate ${clientCertificate} for ${id}`);
  return word(path);
}
