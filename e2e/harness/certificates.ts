/** Certificates made by openssl for one test run; nothing is stored in the repository. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { makeTempFolder, removeFolder } from "./temp-folder.js";

const run = promisify(execFile);

export interface KeyPair {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];

/** A self-signed certificate for DNS names, IP addresses and URIs (`URI:…`); the first one is its common name. */
export async function selfSigned(...names: readonly string[]): Promise<KeyPair> {
  return request(names, []);
}

/** The same with options of `openssl req`, such as another `-newkey`. */
export async function selfSignedWith(
  options: readonly string[],
  ...names: readonly string[]
): Promise<KeyPair> {
  return request(names, options);
}

/** A certificate authority that lives in memory only. */
export class Authority {
  readonly pair: KeyPair;

  private constructor(pair: KeyPair) {
    this.pair = pair;
  }

  static async create(name = "Test CA"): Promise<Authority> {
    return new Authority(
      await openssl([
        ...["-subj", `/CN=${name}`],
        ...["-addext", "basicConstraints=critical,CA:TRUE"],
      ]),
    );
  }

  /** A certificate for `names`, signed by this authority. */
  async issue(...names: readonly string[]): Promise<KeyPair> {
    return this.issueWith([], ...names);
  }

  /** The same with options of `openssl req`, such as another digest. */
  async issueWith(options: readonly string[], ...names: readonly string[]): Promise<KeyPair> {
    const folder = await makeTempFolder();
    try {
      const [ca, key] = [join(folder, "ca.pem"), join(folder, "ca.key")];
      await writeFile(ca, this.pair.certificate);
      await writeFile(key, this.pair.key);
      return await request(names, ["-CA", ca, "-CAkey", key, ...options]);
    } finally {
      await removeFolder(folder);
    }
  }
}

async function request(names: readonly string[], more: readonly string[]): Promise<KeyPair> {
  const alternatives = names.map(alternativeName);
  return openssl([
    ...["-subj", `/CN=${names[0] ?? "test"}`],
    ...["-addext", `subjectAltName=${alternatives.join(",")}`],
    ...["-addext", "basicConstraints=critical,CA:FALSE"],
    ...more,
  ]);
}

/** As openssl writes it; one that says what it is, such as `URI:spiffe://a/b`, stays. */
function alternativeName(name: string): string {
  if (name.startsWith("URI:")) return name;
  return /^[\d.]+$|:/.test(name) ? `IP:${name}` : `DNS:${name}`;
}

async function openssl(options: readonly string[]): Promise<KeyPair> {
  const { stdout } = await run("openssl", [
    ...["req", "-x509", "-nodes", "-days", "2", "-keyout", "-", "-out", "-"],
    ...(options.includes("-newkey") ? [] : NEW_KEY),
    ...options,
  ]);
  return { certificate: block(stdout, "CERTIFICATE"), key: block(stdout, "PRIVATE KEY") };
}

function block(pem: string, name: string): string {
  const found = new RegExp(`-----BEGIN ${name}-----[^]*?-----END ${name}-----\n`).exec(pem);
  if (!found) throw new Error(`openssl gave no ${name}`);
  return found[0];
}
