import { SECRET_TYPES } from "../../api/auth.js";
import type { Secret } from "../../api/wire.js";
import type { DiagnosticSink, Report } from "../../diagnostics/sink.js";
import type { CredentialSet } from "../../model/auth.js";
import { getOrInsert, memoized } from "../../support/collections.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { parseHeaderText } from "../http/headers.js";
import { TEXT, choiceOf } from "../ingress/annotations/annotation.js";
import { resourceRef } from "../place.js";
import { AUTH_FILE_KEY, readAuthFile, readAuthMap } from "./htpasswd.js";
import type { AuthMethod, AuthOwner, MethodSettings } from "./settings.js";
import { authAnnotation, referencedObject } from "./settings.js";

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
    problems.fail({
      code: "AUTH_UNSUPPORTED",
      what: `${type.label} digest is unsupported`,
      place: type,
      hint: "use the type basic, over TLS",
    });
  } else {
    const what = `${type.label} must be basic`;
    problems.fail({ code: "AUTH_CONFIG_INVALID", what, place: type });
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
    problems.fail({ code: "AUTH_CONFIG_INVALID", what, place, hint: "name the secret" });
    return undefined;
  }
  const secret = referencedObject(owner, "Secret", setting, bareNames);
  if (secret === undefined) return undefined;
  const { namespace, name } = secret.object.metadata;
  const id = `${namespace}/${name}#${type}`;
  const set = getOrInsert(sets, id, () => readUsers(secret.object, type, context.diagnostics));
  if (set.ok) return set.value;
  const what = `${secret.shown} ${set.problem}`;
  problems.fail({ code: "AUTH_SECRET_UNUSABLE", what, place: setting });
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

/** Many objects name one Secret, which is read once. */
const USERS = {
  "auth-file": memoized((secret: Secret) => usersOf(secret, "auth-file")),
  "auth-map": memoized((secret: Secret) => usersOf(secret, "auth-map")),
} as const satisfies Record<SecretType, unknown>;

function usersOf(
  secret: Secret,
  type: SecretType,
): { readonly users: Result<CredentialSet>; readonly reports: readonly Report[] } {
  const resource = resourceRef(secret);
  const reports: Report[] = [];
  const data = decodeData(secret);
  const file = data.get(AUTH_FILE_KEY);
  if (type === "auth-file") {
    if (file === undefined) {
      return { users: problem("has no key auth, which auth-file needs"), reports };
    }
    for (const key of data.keys()) {
      if (key === AUTH_FILE_KEY) continue;
      const message = `key ${key} is not read from an auth-file secret`;
      const field = ["data", key];
      reports.push({ code: "AUTH_SECRET_KEY_IGNORED", message, resource, field });
    }
  }
  const { users, findings } = type === "auth-file" ? readAuthFile(file ?? "") : readAuthMap(data);
  for (const { kind, key, message } of findings) {
    const code = kind === "unusable" ? "AUTH_USER_UNUSABLE" : "AUTH_USER_DUPLICATE";
    reports.push({ code, message, resource, field: ["data", key] });
  }
  const id = `${resource.namespace}/${resource.name}#${type}`;
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
