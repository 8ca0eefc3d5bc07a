import type { Credential } from "../../model/auth.js";
import { compareStrings } from "../../support/compare.js";

/** What a secret's data gave, and what of it can't be used. */
export interface ReadCredentials {
  /** Sorted by user. */
  readonly users: readonly Credential[];
  readonly findings: readonly CredentialFinding[];
}

/** An entry that lets nobody log in. Names the user, or the line where there is no name; never a hash. */
export interface CredentialFinding {
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
export const AUTH_FILE_KEY = "auth";

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
