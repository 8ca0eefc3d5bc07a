import type { SECRET_TYPES } from "../../api/auth.js";
import type { Secret } from "../../api/core.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { CredentialSet } from "../../model/auth.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { resourceRef } from "../place.js";
import type { CredentialFinding } from "./credentials.js";
import { AUTH_FILE_KEY, readAuthFile, readAuthMap } from "./credentials.js";

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
