import { apr1 } from "../../e2e/harness/htpasswd.js";
import type { Credential, CredentialSet } from "../../src/model/auth.js";

/** A set of users with the passwords given, hashed by openssl. */
export async function credentialSet(
  id: string,
  passwords: Readonly<Record<string, string>>,
): Promise<CredentialSet> {
  const users = await Promise.all(
    Object.entries(passwords).map(async ([user, password]): Promise<Credential> => {
      const [, , salt = "", hash = ""] = (await apr1(password)).split("$");
      return { user, salt, hash };
    }),
  );
  return { id, users };
}
