import { SECRET_TYPES } from "../../api/auth.js";
import type { Secret } from "../../api/wire.js";
import { DiagnosticSink, type Report } from "../../diagnostics/sink.js";
import type { CredentialSet } from "../../model/auth.js";
import { getOrInsert, memoized } from "../../support/collections.js";
import { present } from "../../support/json-object.js";
import { type Result, ok, problem } from "../../support/result.js";
import { parseHeaderText } from "../http/headers.js";
import { TEXT, choiceOf } from "../ingress/annotations/annotation.js";
import { resourceRef } from "../place.js";
import {
  type AuthMethod,
  type AuthOwner,
  type MethodSettings,
  authAnnotation,
  referencedObject,
} from "./settings.js";

type SecretType = (typeof SECRET_TYPES)[number];

/** Basic auth (RFC 7617) with the users of a Secret. */
export const BASIC: AuthMethod<"basic"> = {
  field: "basic",
  annotations: {
    auth_type: authAnnotation(
      "auth-type",
      choiceOf(["basic"]),
      "`basic` asks for a user and password; `digest` is not supported.",
    ),
    secret: authAnnotation(
      "auth-secret",
      TEXT,
      "Secret with the users: `<namespace>/<name>`, or a name in the Ingress's namespace.",
    ),
    secret_type: authAnnotation(
      "auth-secret-type",
      choiceOf(SECRET_TYPES),
      "Layout of that secret: `auth-file`, the default, is one key `auth` with htpasswd lines; `auth-map` is a key for each user.",
    ),
    realm: authAnnotation(
      "auth-realm",
      TEXT,
      "Realm of the WWW-Authenticate header; empty by default.",
    ),
  },
  translate(settings, owner) {
    const { auth_type: authType, realm: realmText, secret_type: secretType } = settings.written;
    // All settings are read before giving up, so that one compilation reports every problem.
    const supported = authType === undefined || checkType(authType, owner);
    const realm = owner.problems.optional(realmText, parseHeaderText, "");
    const type = owner.problems.optional(secretType, parseSecretType, "auth-file");
    const credentials = type === undefined ? undefined : readSecret(settings, type, owner);
    if (!supported || realm === undefined || credentials === undefined) return undefined;
    return { policy: { basic: { realm, file: credentials.id } }, credentials };
  },
};

function checkType(
  type: NonNullable<MethodSettings<"basic">["written"]["auth_type"]>,
  { problems }: AuthOwner,
): boolean {
  if (type.value === "basic") return true;
  if (type.value === "digest") {
    problems.fail(
      "AUTH_UNSUPPORTED",
      `${type.label} digest is unsupported`,
      type,
      "use the type basic, over TLS",
    );
  } else {
    const what = `${type.label} must be basic`;
    problems.fail("AUTH_CONFIG_INVALID", what, type);
  }
  return false;
}

function parseSecretType(text: string): Result<SecretType> {
  const type = SECRET_TYPES.find((known) => known === text);
  return type === undefined ? problem(`must be ${SECRET_TYPES.join(" or ")}`) : ok(type);
}

function readSecret(
  { written: { secret: setting }, place, bareNames }: MethodSettings<"basic">,
  type: SecretType,
  owner: AuthOwner,
): CredentialSet | undefined {
  const { problems, sets, context } = owner;
  if (setting === undefined) {
    const what = `${place.label} is set without a secret`;
    problems.fail("AUTH_CONFIG_INVALID", what, place, "name the secret");
    return undefined;
  }
  const secret = referencedObject(owner, "Secret", setting, bareNames);
  if (secret === undefined) return undefined;
  const { namespace, name } = secret.object.metadata;
  const id = `${namespace}/${name}#${type}`;
  const set = getOrInsert(sets, id, () => readUsers(secret.object, type, context.diagnostics));
  if (set.ok) return set.value;
  const what = `${secret.shown} ${set.problem}`;
  problems.fail("AUTH_SECRET_UNUSABLE", what, setting);
  return undefined;
}

/** The users of a Secret; reports entries that can't be used. A problem completes the sentence "secret <namespace>/<name> …". */
function readUsers(
  secret: Secret,
  type: SecretType,
  diagnostics: DiagnosticSink,
): Result<CredentialSet> {
  const { users, reports } = USERS[type](secret);
  diagnostics.addAll(reports);
  return users;
}

/** Many objects name one Secret, which is read once; its problems are the same reports for all of them. */
const USERS = {
  "auth-file": memoized((secret: Secret) => usersOf(secret, "auth-file")),
  "auth-map": memoized((secret: Secret) => usersOf(secret, "auth-map")),
} as const satisfies Record<SecretType, unknown>;

function usersOf(
  secret: Secret,
  type: SecretType,
): { readonly users: Result<CredentialSet>; readonly reports: readonly Report[] } {
  const resource = resourceRef(secret);
  const id = `${resource.namespace}/${resource.name}#${type}`;
  if (secret.assumed) return { users: ok({ id, entries: {} }), reports: [] };
  // A Secret has up to a million lines, so no more of their problems are kept than are listed.
  const found = new DiagnosticSink();
  const data = decodeData(secret);
  const file = data.get(AUTH_FILE_KEY);
  if (type === "auth-file") {
    if (file === undefined) {
      return { users: problem("has no key auth, which auth-file needs"), reports: [] };
    }
    if (isUtf16(file)) {
      return { users: problem("has UTF-16 text in auth, which must be UTF-8"), reports: [] };
    }
    for (const key of data.keys()) {
      if (key === AUTH_FILE_KEY) continue;
      const message = `key ${key} is not read from an auth-file secret`;
      const field = ["data", key];
      found.report({ code: "AUTH_SECRET_KEY_IGNORED", message, resource, field });
    }
  }
  const find = ({ kind, key, message, line }: UserProblem): void => {
    const code = kind === "unusable" ? "AUTH_USER_UNUSABLE" : "AUTH_USER_DUPLICATE";
    found.report({ code, message, resource, field: ["data", key], ...present("at", line) });
  };
  const users = type === "auth-file" ? readAuthFile(file ?? "", find) : readAuthMap(data, find);
  const { reports } = found;
  const isEmpty = Object.keys(users).length === 0;
  return { users: isEmpty ? problem("has no usable user") : ok({ id, entries: users }), reports };
}

/** UTF-8 without byte order mark; invalid bytes become U+FFFD. */
function decodeData(secret: Secret): ReadonlyMap<string, string> {
  const decoder = new TextDecoder("utf-8");
  const entries = Object.entries(secret.data ?? {});
  return new Map(
    entries.map(([key, value]) => [key, decoder.decode(Buffer.from(value, "base64"))]),
  );
}

/** As editors of Windows write it: every character of ASCII has a NUL beside it. */
function isUtf16(text: string): boolean {
  return text.includes("\0");
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

/** apr1 salt and 22-character digest by user. */
type Users = Readonly<Record<string, readonly [salt: string, hash: string]>>;

/** An entry that no user can log in with. */
interface UserProblem {
  readonly kind: "unusable" | "duplicate";
  /** Of the Secret's data. */
  readonly key: string;
  /** Names the user, or else the line; never a hash. */
  readonly message: string;
  /** Of an htpasswd file, from 0. */
  readonly line?: number;
}

type Find = (problem: UserProblem) => void;

/** Key of an auth-file Secret. */
const AUTH_FILE_KEY = "auth";

/**
 * Reads htpasswd lines `<user>:<hash>`, split at the first colon; `:<comment>` may follow. Blank lines and `#` comments are
 * skipped, CR and trailing blanks dropped. The first line of a user counts.
 */
export function readAuthFile(text: string, find: Find): Users {
  const collector = new UserCollector(find);
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trimEnd();
    if (line === "" || line.trimStart().startsWith("#")) continue;
    const place = { key: AUTH_FILE_KEY, label: `line ${String(index + 1)}: `, line: index };
    const colon = line.indexOf(":");
    if (colon === -1) collector.find("unusable", place, "no colon between user and hash");
    else if (colon === 0) collector.find("unusable", place, "no user name");
    else collector.add(place, line.slice(0, colon), withoutComment(line.slice(colon + 1)));
  }
  return collector.users();
}

/** nginx accepts `user:hash:comment`, and no hash contains a colon. */
function withoutComment(rest: string): string {
  const [hash = ""] = rest.split(":", 1);
  return hash.trimEnd();
}

/** Reads an auth-map: each key is a user, its value the hash. */
export function readAuthMap(data: ReadonlyMap<string, string>, find: Find): Users {
  const collector = new UserCollector(find);
  for (const [user, hash] of data) {
    collector.add({ key: user, label: "" }, user, hash.trimEnd());
  }
  return collector.users();
}

interface EntryPlace extends Pick<UserProblem, "key" | "line"> {
  /** How messages about it begin. */
  readonly label: string;
}

class UserCollector {
  /** Undefined for a user that can't log in: a later line does not count either. */
  readonly #users = new Map<string, Users[string] | undefined>();
  readonly #find: Find;

  constructor(find: Find) {
    this.#find = find;
  }

  add(place: EntryPlace, user: string, hash: string): void {
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

  find(kind: UserProblem["kind"], { label, ...place }: EntryPlace, message: string): void {
    this.#find({ kind, ...place, message: label + message });
  }

  users(): Users {
    const usable = [...this.#users].flatMap(([user, entry]) =>
      entry === undefined ? [] : [[user, entry] as const],
    );
    return Object.fromEntries(usable);
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
