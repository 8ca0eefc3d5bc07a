import { SECRET_TYPES } from "../../api/auth.js";
import type { CredentialSet } from "../../model/auth.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { referencedObject } from "./auth-owner.js";
import type { SecretType } from "./credentials.js";
import { parseHeaderText } from "./http-headers.js";
import type { AuthMethod, AuthOwner, MethodSettings, Setting } from "./settings.js";
import { fieldReader } from "./settings.js";

interface BasicSettings extends MethodSettings {
  readonly type: Setting | undefined;
  readonly realm: Setting | undefined;
  readonly secret: Setting | undefined;
  readonly secretType: Setting | undefined;
  /** A secret's name without namespace means the owner's namespace. */
  readonly bareSecretNames: boolean;
}

/** Basic auth (RFC 7617) with the users of a Secret. */
export const BASIC: AuthMethod<BasicSettings> = {
  field: "basic",
  annotations: { switch: "auth-type", others: ["auth-secret", "auth-secret-type", "auth-realm"] },
  fromObject({ basic }, parent) {
    if (!basic) return undefined;
    const field = [...parent, "basic"];
    const setting = fieldReader(basic, field, "basic");
    return {
      place: { label: "basic", field },
      type: setting("auth_type"),
      realm: setting("realm"),
      secret: setting("secret"),
      secretType: setting("secret_type"),
      bareSecretNames: false,
    };
  },
  fromAnnotations: (type, read) => ({
    place: type,
    type,
    realm: read("auth-realm"),
    secret: read("auth-secret"),
    secretType: read("auth-secret-type"),
    bareSecretNames: true,
  }),
  translate(settings, owner) {
    // All of them are read before giving up, so that one report names everything that is wrong.
    const supported = checkType(settings, owner);
    const realm = owner.problems.optional(settings.realm, parseHeaderText, "");
    const type = owner.problems.optional(settings.secretType, parseSecretType, "auth-file");
    const credentials = type === undefined ? undefined : readSecret(settings, type, owner);
    if (!supported || realm === undefined || credentials === undefined) return undefined;
    return { policy: { basic: { realm, credentials: credentials.id } }, credentials };
  },
};

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
): CredentialSet | undefined {
  const { problems, sets } = owner;
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
