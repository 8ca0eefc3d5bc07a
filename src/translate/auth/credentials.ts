import type { SECRET_TYPES } from "../../api/auth.js";
import type { Secret } from "../../api/wire.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { Credential, CredentialSet } from "../../model/auth.js";
import { compareStrings } from "../../support/collections.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { resourceRef } from "../place.js";

/** What a secret's data gave, and what of it can't be used. */
interface ReadCredentials {
  /** Sorted by user. */
  readonly users: readonly Credential[];
  readonly findings: readonly CredentialFinding[];
}

/** An entry that lets nobody log in. Names the user, or the line where there is no name; never a hash. */
interface CredentialFinding {
  readonly kind: "unusable" | "duplicate";
  /** Key of the secret's data. */
  readonly key: string;
  readonly message: string;
}

/** `$apr1$<salt>$<22 characters>`; a salt is 1 to 8 printable ASCII characters but `$`. */
const APR1 = /^\$apr1\$([!-#%-~]{1,8})\$([./0-9A-Za-z]{22})$/;

/** How other hashes begin, to say what was found. */
const OTHER_HASHES: readonly (readonly [RegExp, string])[] = [
  [/^\$2[abxy]?\$/, "bcrypt"],
  [/^\$5\$/, "SHA-256"],
  [/^\$6\$/, "SHA-512"],
  [/^\$1\$/, "MD5-crypt"],
  [/^\$y\$/, "yescrypt"],
  [/^\{S?SHA\}/i, "SHA-1"],
];

/** Key of an auth-file secret. */
const AUTH_FILE_KEY = "auth";

/**
 * Reads htpasswd lines `<user>:<hash>`, split at the first colon; `:<comment>` may follow. Blank lines and `#` comments are
 * skipped, CR and trailing blanks dropped. The first line of a user counts.
 */
export function readAuthFile(text: string): ReadCredentials {
  const collector = new CredentialCollector();
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trimEnd();
    if (line === "" || line.trimStart().startsWith("#")) continue;
    const place = { key: AUTH_FILE_KEY, label: `line ${String(index + 1)}: ` };
    const colon = line.indexOf(":");
    if (colon === -1) collector.unusable(place, "no colon between user and hash");
    else if (colon === 0) collector.unusable(place, "no user name");
    else collector.add(place, line.slice(0, colon), withoutComment(line.slice(colon + 1)));
  }
  return collector.result();
}

/** nginx takes `user:hash:comment`, and no hash holds a colon. */
function withoutComment(rest: string): string {
  const [hash = ""] = rest.split(":", 1);
  return hash.trimEnd();
}

/** Reads an auth-map: each key is a user, its value the hash alone. */
export function readAuthMap(data: ReadonlyMap<string, string>): ReadCredentials {
  const collector = new CredentialCollector();
  for (const [user, hash] of data) {
    collector.add({ key: user, label: "" }, user, hash.trimEnd());
  }
  return collector.result();
}

/** An entry: the key of the secret's data, and how a message begins. */
interface EntryPlace {
  readonly key: string;
  readonly label: string;
}

class CredentialCollector {
  /** Undefined for a user that can't log in: a later line does not count either. */
  readonly #users = new Map<string, Credential | undefined>();
  readonly #findings: CredentialFinding[] = [];

  add(place: EntryPlace, user: string, hash: string): void {
    if (this.#users.has(user)) {
      this.#find("duplicate", place, `user ${shownUser(user)} stands further up already`);
      return;
    }
    const [, salt, digest] = APR1.exec(hash) ?? [];
    const wrong = wrongUser(user) ?? (digest === undefined ? wrongHash(hash) : undefined);
    const usable = salt !== undefined && digest !== undefined && wrong === undefined;
    this.#users.set(user, usable ? { user, salt, hash: digest } : undefined);
    if (wrong !== undefined) {
      this.unusable(place, `user ${shownUser(user)} can't log in: ${wrong}`);
    }
  }

  unusable(place: EntryPlace, message: string): void {
    this.#find("unusable", place, message);
  }

  result(): ReadCredentials {
    const users = [...this.#users.values()].filter((user) => user !== undefined);
    users.sort((a, b) => compareStrings(a.user, b.user));
    return { users, findings: this.#findings };
  }

  #find(kind: CredentialFinding["kind"], { key, label }: EntryPlace, message: string): void {
    this.#findings.push({ kind, key, message: label + message });
  }
}

/** RFC 7617, 2: a user-id has no control characters; U+FFFD is what bytes that are no UTF-8 became. */
function wrongUser(user: string): string | undefined {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(user)) return "the name has control characters";
  return user.includes("\uFFFD") ? "the name is not UTF-8" : undefined;
}

function wrongHash(hash: string): string {
  if (hash === "") return "there is no hash";
  const other = OTHER_HASHES.find(([start]) => start.test(hash));
  if (other) return `a ${other[1]} hash, only apr1 is supported`;
  return hash.startsWith("$apr1$") ? "the apr1 hash is malformed" : "no apr1 hash";
}

const MAX_SHOWN = 64;

/** Quoted, and short enough for a message; not shown when user and hash may have changed places. */
function shownUser(user: string): string {
  if (user.includes("$") || user.includes("{")) return "(not shown, it may be a hash)";
  return JSON.stringify(user.length > MAX_SHOWN ? `${user.slice(0, MAX_SHOWN)}...` : user);
}

export type SecretType = (typeof SECRET_TYPES)[number];

/** Reads each secret once for each secret type, however many paths it protects, and reports what of it can't be used. */
export class CredentialSets {
  readonly #sets = new Map<string, Result<CredentialSet>>();
  readonly #diagnostics: DiagnosticSink;

  constructor(diagnostics: DiagnosticSink) {
    this.#diagnostics = diagnostics;
  }

  /** The users of a secret; a problem completes the sentence "secret <namespace>/<name> …". */
  read(secret: Secret, type: SecretType): Result<CredentialSet> {
    const id = `${secret.metadata.namespace}/${secret.metadata.name}#${type}`;
    const known = this.#sets.get(id);
    if (known !== undefined) return known;
    const set = this.#readNew(id, secret, type);
    this.#sets.set(id, set);
    return set;
  }

  #readNew(id: string, secret: Secret, type: SecretType): Result<CredentialSet> {
    const data = decodeData(secret);
    const file = data.get(AUTH_FILE_KEY);
    if (type === "auth-file") {
      if (file === undefined) return problem("has no key auth, which auth-file needs");
      this.#reportOtherKeys(secret, data);
    }
    const read = type === "auth-file" ? readAuthFile(file ?? "") : readAuthMap(data);
    for (const finding of read.findings) this.#reportFinding(secret, finding);
    return read.users.length === 0 ? problem("has no usable user") : ok({ id, users: read.users });
  }

  #reportOtherKeys(secret: Secret, data: ReadonlyMap<string, string>): void {
    for (const key of data.keys()) {
      if (key === AUTH_FILE_KEY) continue;
      this.#diagnostics.report({
        code: "AUTH_SECRET_KEY_IGNORED",
        message: `key ${key} is not read from an auth-file secret`,
        resource: resourceRef(secret),
        field: ["data", key],
      });
    }
  }

  #reportFinding(secret: Secret, finding: CredentialFinding): void {
    this.#diagnostics.report({
      code: finding.kind === "unusable" ? "AUTH_USER_UNUSABLE" : "AUTH_USER_DUPLICATE",
      message: finding.message,
      resource: resourceRef(secret),
      field: ["data", finding.key],
    });
  }
}

/** UTF-8 without byte order mark; bytes that are none become U+FFFD. */
function decodeData(secret: Secret): ReadonlyMap<string, string> {
  const decoder = new TextDecoder("utf-8");
  const entries = Object.entries(secret.data ?? {});
  return new Map(
    entries.map(([key, value]) => [key, decoder.decode(Buffer.from(value, "base64"))]),
  );
}
