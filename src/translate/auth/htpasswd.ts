/** The users of basic auth, as Secrets hold them: lines of htpasswd, or one key for each user. */

/** What a Secret contains, and which entries can't be used. */
interface ReadUsers {
  /** `[salt, hash]` by user: apr1 salt and 22-character digest. */
  readonly users: Readonly<Record<string, readonly [salt: string, hash: string]>>;
  readonly findings: readonly Finding[];
}

/** An entry that nobody can log in with. `message` names the user, or the line if there is no name; never a hash. */
interface Finding {
  readonly kind: "unusable" | "duplicate";
  /** Key of the Secret's data. */
  readonly key: string;
  readonly message: string;
}

/** `$apr1$<salt>$<22 characters>`; a salt is 1 to 8 printable ASCII characters except `$`. */
const APR1 = /^\$apr1\$([!-#%-~]{1,8})\$([./0-9A-Za-z]{22})$/;

/** How other hashes begin, so that the message names them. */
const OTHER_HASHES: readonly (readonly [RegExp, string])[] = [
  [/^\$2[abxy]?\$/, "bcrypt"],
  [/^\$5\$/, "SHA-256"],
  [/^\$6\$/, "SHA-512"],
  [/^\$1\$/, "MD5-crypt"],
  [/^\$y\$/, "yescrypt"],
  [/^\{S?SHA\}/i, "SHA-1"],
];

/** Key of an auth-file Secret. */
export const AUTH_FILE_KEY = "auth";

/**
 * Reads htpasswd lines `<user>:<hash>`, split at the first colon; `:<comment>` may follow. Blank lines and `#` comments are
 * skipped, CR and trailing blanks dropped. The first line of a user counts.
 */
export function readAuthFile(text: string): ReadUsers {
  const collector = new UserCollector();
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trimEnd();
    if (line === "" || line.trimStart().startsWith("#")) continue;
    const place = { key: AUTH_FILE_KEY, label: `line ${String(index + 1)}: ` };
    const colon = line.indexOf(":");
    if (colon === -1) collector.find("unusable", place, "no colon between user and hash");
    else if (colon === 0) collector.find("unusable", place, "no user name");
    else collector.add(place, line.slice(0, colon), withoutComment(line.slice(colon + 1)));
  }
  return collector.result();
}

/** nginx accepts `user:hash:comment`, and no hash contains a colon. */
function withoutComment(rest: string): string {
  const [hash = ""] = rest.split(":", 1);
  return hash.trimEnd();
}

/** Reads an auth-map: each key is a user, its value the hash. */
export function readAuthMap(data: ReadonlyMap<string, string>): ReadUsers {
  const collector = new UserCollector();
  for (const [user, hash] of data) {
    collector.add({ key: user, label: "" }, user, hash.trimEnd());
  }
  return collector.result();
}

class UserCollector {
  /** Undefined for a user that can't log in: a later line does not count either. */
  readonly #users = new Map<string, ReadUsers["users"][string] | undefined>();
  readonly #findings: Finding[] = [];

  add(place: { readonly key: string; readonly label: string }, user: string, hash: string): void {
    if (this.#users.has(user)) {
      this.find("duplicate", place, `user ${shownUser(user)} stands further up already`);
      return;
    }
    const [, salt, digest] = APR1.exec(hash) ?? [];
    const wrong = wrongUser(user) ?? (digest === undefined ? wrongHash(hash) : undefined);
    const usable = salt !== undefined && digest !== undefined && wrong === undefined;
    this.#users.set(user, usable ? [salt, digest] : undefined);
    if (wrong !== undefined) {
      this.find("unusable", place, `user ${shownUser(user)} can't log in: ${wrong}`);
    }
  }

  /** `label`: how the message begins. */
  find(
    kind: Finding["kind"],
    { key, label }: { readonly key: string; readonly label: string },
    message: string,
  ): void {
    this.#findings.push({ kind, key, message: label + message });
  }

  result(): ReadUsers {
    const usable = [...this.#users].flatMap(([user, entry]) =>
      entry === undefined ? [] : [[user, entry] as const],
    );
    return { users: Object.fromEntries(usable), findings: this.#findings };
  }
}

/** RFC 7617, 2: a user-id has no control characters; U+FFFD stands for bytes that are not UTF-8. */
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

/** Quoted, and short enough for a message; hidden if user and hash may have changed places. */
function shownUser(user: string): string {
  if (user.includes("$") || user.includes("{")) return "(not shown, it may be a hash)";
  return JSON.stringify(user.length > MAX_SHOWN ? `${user.slice(0, MAX_SHOWN)}...` : user);
}
