import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { KeyPair } from "./certificates.js";
import { ingress, nginx, secret, tlsSecret, yaml } from "./manifests.js";

const run = promisify(execFile);

/** The apr1 hash of a password as openssl makes it, an implementation that is not ours. */
export async function apr1(password: string, salt?: string): Promise<string> {
  const options = salt === undefined ? [] : ["-salt", salt];
  const { stdout } = await run("openssl", ["passwd", "-apr1", ...options, password]);
  return stdout.trim();
}

/** One line of an htpasswd file. */
export async function htpasswdLine(user: string, password: string): Promise<string> {
  return `${user}:${await apr1(password)}`;
}

/** Value of an Authorization header. */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** An Ingress of the Service `web` for https://web.example, where `ann` logs in. */
export async function siteWithLogin(pair: KeyPair, password: string): Promise<string> {
  return yaml(
    tlsSecret("web-tls", pair),
    secret("users", { auth: await htpasswdLine("ann", password) }),
    ingress("web", {
      annotations: nginx({ "auth-type": "basic", "auth-secret": "users" }),
      tls: [{ hosts: ["web.example"], secretName: "web-tls" }],
      hosts: { "web.example": [{ service: "web" }] },
    }),
  );
}
