import { apr1 } from "../../e2e/harness/htpasswd.js";
import type { CredentialSet } from "../../src/model/auth.js";

/** A set of users with the passwords given, hashed by openssl. */
export async function credentialSet(
  id: string,
  passwords: Readonly<Record<string, string>>,
): Promise<CredentialSet> {
  const entries = await Promise.all(
    Object.entries(passwords).map(async ([user, password]) => {
      const [, , salt = "", hash = ""] = (await apr1(password)).split("$");
      return [user, [salt, hash]] as const;
    }),
  );
  return { id, entries: Object.fromEntries(entries) };
}
