import { SECRET_TYPES } from "../../api/auth.js";
import type { BasicAuth, CredentialSet } from "../../model/auth.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import type { AuthOwner } from "./auth-owner.js";
import { referencedObject } from "./auth-owner.js";
import type { CredentialSets, SecretType } from "./credentials.js";
import { parseHeaderText } from "./http-headers.js";
import type { BasicSettings } from "./settings.js";

export interface TranslatedBasicAuth {
  readonly basic: BasicAuth;
  readonly credentials: CredentialSet;
}

/** Basic auth as the data plane needs it; undefined when a problem closes the paths. */
export function translateBasicAuth(
  settings: BasicSettings,
  owner: AuthOwner,
  sets: CredentialSets,
): TranslatedBasicAuth | undefined {
  // All of them are read before giving up, so that one report names everything that is wrong.
  const supported = checkType(settings, owner);
  const realm = owner.problems.optional(settings.realm, parseHeaderText, "");
  const type = owner.problems.optional(settings.secretType, parseSecretType, "auth-file");
  const credentials = type === undefined ? undefined : readSecret(settings, type, owner, sets);
  if (!supported || realm === undefined || credentials === undefined) return undefined;
  return { basic: { realm, credentials: credentials.id }, credentials };
}

function checkType({ type }: BasicSettings, { problems }: AuthOwner): boolean {
  if (type === undefined || type.value === "basic") return true;
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

function readSecret(
  { secret: setting, place, bareSecretNames }: BasicSettings,
  type: SecretType,
  owner: AuthOwner,
  sets: CredentialSets,
): CredentialSet | undefined {
  const { problems } = owner;
  if (setting === undefined) {
    const what = `${place.label} is set without a secret`;
    problems.fail({ code: "AUTH_CONFIG_INVALID", what, place, hint: "name the secret" });
    return undefined;
  }
  const secret = referencedObject(owner, "Secret", setting, bareSecretNames);
  if (secret === undefined) return undefined;
  const set = sets.read(secret.object, type);
  if (set.ok) return set.value;
  const what = `secret ${secret.name.namespace}/${secret.name.name} ${set.problem}`;
  problems.fail({ code: "AUTH_SECRET_UNUSABLE", what, place: setting });
  return undefined;
}

function parseSecretType(text: string): Result<SecretType> {
  const type = SECRET_TYPES.find((known) => known === text);
  return type === undefined ? problem(`must be ${SECRET_TYPES.join(" or ")}`) : ok(type);
}
