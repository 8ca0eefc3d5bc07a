/**
 * Files of the run folder that are not compiled from objects: the Lua code, and environment/ with facts about this machine. nginx.conf
 * includes environment/, so that it is the same on every machine.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import { isIP } from "node:net";
import { type NetworkInterfaceInfo, cpus, networkInterfaces } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { address, quoted, word } from "../render/nginx/text.js";
import type { RenderedFile } from "../render/rendered-file.js";
import { EnvironmentError } from "../support/errors.js";
import { cidrContains } from "../support/ip-address.js";
import { fileError, readIfThere } from "./files.js";
import { selfSigned } from "./self-signed.js";

/** lua/ is next to both src/ and dist/. */
const LUA_FOLDER = fileURLToPath(new URL("../../lua/", import.meta.url));

/**
 * The Lua code of albc as files below lua/, sorted. It is copied to every run folder, so that an nginx in another container needs
 * nothing else. Throws EnvironmentError if the package is incomplete.
 */
export async function luaBundle(): Promise<readonly RenderedFile[]> {
  try {
    const names = await readdir(LUA_FOLDER, { recursive: true });
    const modules = names.filter((name) => name.endsWith(".lua")).sort();
    return await Promise.all(
      modules.map(async (name) => ({
        path: `lua/${name}`,
        contents: await readFile(join(LUA_FOLDER, name), "utf8"),
        mode: 0o644 as const,
      })),
    );
  } catch (error: unknown) {
    throw fileError("read the Lua code of albc in", LUA_FOLDER, error);
  }
}

/** The first nginx whose old workers keep idle connections for a while. */
const KEEPS_IDLE = [1, 27, 4] as const;

const RESOLV_CONF = "/etc/resolv.conf";
const CA_COPY = "environment/ca.pem";
/** For names without a certificate (lua/alb/tls/certificate.lua). */
const SELF_SIGNED = "environment/self-signed.pem";

/** Certificate authorities of Debian and Alpine, Red Hat, SUSE, and BSD. */
const CA_BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** environment/http.conf, a copy of the CAs that an nginx in another container can read, and a self-signed certificate. Throws EnvironmentError. */
export async function environmentFiles(options: {
  /** Name servers, as `address`, `address:port` or `[address]:port`; empty: those of /etc/resolv.conf. */
  readonly resolver: readonly string[];
  /** CAs (PEM) for https auth services; empty: the system's. */
  readonly caFile: string;
  /** The run folder. */
  readonly folder: string;
  /** Version of nginx, such as `1.30.6`; absent if albc does not run it. */
  readonly nginx?: string;
}): Promise<readonly RenderedFile[]> {
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
    // nginx.conf names it for backends that the machine's authorities verify.
    { path: CA_COPY, contents: ca ?? NOBODY_CERTIFICATE, mode: 0o644 },
    { path: SELF_SIGNED, contents: await certificateIn(options.folder), mode: 0o600 },
  ];
}

/** Another certificate than before would be a reload. */
async function certificateIn(folder: string): Promise<string> {
  const text = await readIfThere(join(folder, SELF_SIGNED));
  return text?.startsWith("-----BEGIN CERTIFICATE-----") === true ? text : selfSigned();
}

/** The text of environment/http.conf. */
export function environmentConf(environment: {
  readonly servers: readonly string[];
  /** Resolve names to IPv6 addresses, too. */
  readonly ipv6: boolean;
  readonly trustsAuthorities: boolean;
  /** Whether a reload keeps idle connections for a while, because a client may be sending its next request. */
  readonly keepsIdle: boolean;
}): string {
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

/** The given servers, or those of the `nameserver` lines. nginx can't use addresses with a zone. */
export function nameServers(given: readonly string[], resolvConf: string): readonly string[] {
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

/** Without a route, requests to an IPv6 address of an auth service would fail. */
function hasIpv6Route(): boolean {
  return interfaces().some(
    ({ family, internal, address: ip }) =>
      family === "IPv6" && !internal && !ip.toLowerCase().startsWith("fe80:"),
  );
}

/** What compiling depends on; addresses include loopback. */
export async function machineFacts(): Promise<{
  readonly processors: number;
  readonly machineAddresses: readonly string[];
  readonly routedAddresses: readonly string[];
}> {
  return {
    processors: cpus().length,
    machineAddresses: interfaces().map(({ address: ip }) => ip),
    routedAddresses: await routedAddresses(),
  };
}

/** Of the machine's default routes: the address that its own connections come from. One IPv4, one IPv6, as far as there are routes. */
async function routedAddresses(): Promise<readonly string[]> {
  const found: string[] = [];
  // Addresses for documentation: only a default route leads there. Connecting a UDP socket sends nothing.
  for (const [type, address] of [
    ["udp4", "192.0.2.1"],
    ["udp6", "2001:db8::1"],
  ] as const) {
    const socket = createSocket(type);
    try {
      socket.connect(9, address);
      await once(socket, "connect");
      found.push(socket.address().address);
    } catch {
      // There is no such route.
    } finally {
      socket.close();
    }
  }
  const isLocal = (each: string) => LOCAL_RANGES.some((range) => cidrContains(range, each));
  return found.filter((each) => !isLocal(each));
}

/** Unspecified, loopback and link-local: no client on another machine can use them. */
const LOCAL_RANGES = [
  ...["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16"],
  ...["::/127", "fe80::/10"],
];

function interfaces(): readonly NetworkInterfaceInfo[] {
  return Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
}

/**
 * An authority that has signed nothing and whose key does not exist. nginx trusts it on a machine without authorities: the configuration
 * is valid, and no backend is trusted.
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
