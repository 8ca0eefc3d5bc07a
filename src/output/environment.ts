/**
 * environment/ of the run folder: what nginx must be told and only the machine knows. nginx.conf includes it, so that
 * nginx.conf itself is the same everywhere.
 */
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { address, quoted, word } from "../render/nginx/text.js";
import type { RenderedFile } from "../render/rendered-file.js";
import { EnvironmentError } from "../support/errors.js";
import { readIfThere } from "./file-error.js";

interface EnvironmentOptions {
  /** Name servers, as `address`, `address:port` or `[address]:port`; empty: those of /etc/resolv.conf. */
  readonly resolver: readonly string[];
  /** CAs (PEM) for https auth services; empty: the system's. */
  readonly caFile: string;
  /** Version of the nginx that reads them, such as `1.30.6`; absent when somebody else runs it. */
  readonly nginx?: string;
}

/** The first nginx that can keep idle connections for a while when its worker is replaced. */
const KEEPS_IDLE = [1, 27, 4] as const;

const RESOLV_CONF = "/etc/resolv.conf";
const CA_COPY = "environment/ca.pem";

/** Where Debian and Alpine, Red Hat, SUSE, and BSD keep their certificate authorities. */
const CA_BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** environment/http.conf, and a copy of the CAs that an nginx in another container can read. Throws EnvironmentError. */
export async function environmentFiles(
  options: EnvironmentOptions,
): Promise<readonly RenderedFile[]> {
  const ca = await authorities(options.caFile);
  const resolvConf = await readIfThere(RESOLV_CONF);
  const conf = environmentConf({
    servers: nameServers(options.resolver, resolvConf ?? ""),
    ipv6: hasIpv6Route(),
    trustsAuthorities: ca !== undefined,
    keepsIdle: options.nginx !== undefined && isAtLeast(options.nginx, KEEPS_IDLE),
  });
  return [
    { path: "environment/http.conf", contents: conf, mode: 0o644 },
    // nginx.conf names it where backends are to be checked by the machine's authorities.
    { path: CA_COPY, contents: ca ?? NOBODY_CERTIFICATE, mode: 0o644 },
  ];
}

interface Environment {
  readonly servers: readonly string[];
  /** Ask for IPv6 addresses too. */
  readonly ipv6: boolean;
  readonly trustsAuthorities: boolean;
  /** A client whose connection is idle may be about to send its next request when a reload comes. */
  readonly keepsIdle: boolean;
}

/** The text of environment/http.conf. */
export function environmentConf(environment: Environment): string {
  const { servers, ipv6, trustsAuthorities, keepsIdle } = environment;
  const lines = ["# Written by albc when it started: what is known only on this machine."];
  if (servers.length > 0) {
    const list = servers.map(resolverAddress).join(" ");
    lines.push(`resolver ${list} valid=30s ipv6=${word(ipv6 ? "on" : "off").toString()};`);
    lines.push("resolver_timeout 5s;");
  }
  if (trustsAuthorities) {
    lines.push(`lua_ssl_trusted_certificate ${quoted(CA_COPY).toString()};`);
  }
  if (keepsIdle) lines.push("keepalive_min_timeout 5s;");
  return `${lines.join("\n")}\n`;
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  const index = least.findIndex((part, i) => (parts[i] ?? 0) !== part);
  return index < 0 || (parts[index] ?? 0) > (least[index] ?? 0);
}

/** Those that were given, else the `nameserver` lines; addresses with a zone are not for nginx. */
export function nameServers(given: readonly string[], resolvConf: string): readonly string[] {
  const wrong = given.find((server) => isIP(hostOf(server)) === 0);
  if (wrong !== undefined) throw new EnvironmentError(`resolver ${wrong} is no IP address`);
  if (given.length > 0) return given;
  return [...resolvConf.matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)]
    .map(([, server = ""]) => server)
    .filter((server) => isIP(server) !== 0 && !server.includes("%"));
}

function resolverAddress(server: string): string {
  const host = hostOf(server);
  const port = server.slice(server.lastIndexOf(":") + 1);
  const named = address(host).toString();
  return server === host || server === `[${host}]` ? named : `${named}:${word(port).toString()}`;
}

/** `::1` of `::1`, `[::1]` and `[::1]:53`. */
function hostOf(server: string): string {
  if (isIP(server) !== 0) return server;
  const [, inBrackets, plain] = /^(?:\[(.*)\](?::\d+)?|([^:]*):\d+)$/.exec(server) ?? [];
  return inBrackets ?? plain ?? server;
}

async function authorities(given: string): Promise<string | undefined> {
  if (given !== "") {
    const text = await readIfThere(given);
    if (text === undefined) throw new EnvironmentError(`the CA file ${given} does not exist`);
    return text;
  }
  for (const path of CA_BUNDLES) {
    const text = await readIfThere(path);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Without one an IPv6 address of an auth service could only fail. */
function hasIpv6Route(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return addresses.some(
    ({ family, internal, address: ip }) =>
      family === "IPv6" && !internal && !ip.toLowerCase().startsWith("fe80:"),
  );
}

/**
 * An authority that has signed nothing: what nginx is given to trust on a machine without any, so that a configuration that asks for
 * the machine's authorities is one, and trusts nobody. Its key was never kept.
 */
export const NOBODY_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBiDCCAS2gAwIBAgIUBfTkcPqOOEzoWZYmR6SjA2rF8powCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGbm9ib2R5MB4XDTI2MTEyMTE4MDEzM1oXDTI2MTEyMjE4MDEz
M1owETEPMA0GA1UEAwwGbm9ib2R5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
m5ah5JXFOpNqjh5LlFbFk35RW1ykb7txR3WSe6MhTls2OCbuUTPjVgH5UGvgCc8M
sNW06NiuQA9fK5r3Y3usGKNjMGEwHQYDVR0OBBYEFCvok6VCrppAmvUY6TAtSFEs
PoKjMB8GA1UdIwQYMBaAFCvok6VCrppAmvUY6TAtSFEsPoKjMA8GA1UdEwEB/wQF
MAMBAf8wDgYDVR0PAQH/BAQDAgECMAoGCCqGSM49BAMCA0kAMEYCIQCgb9KHg0XJ
MOm9IZvK3zaJcNuqIHrGN+J92HdXsUBAdwIhALGQWex7qzLGiRSCDtjGohxiEp1W
+8p3JBFSv1RqLdGo
-----END CERTIFICATE-----
`;
