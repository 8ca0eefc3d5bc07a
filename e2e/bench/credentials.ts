import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { basic, htpasswdLine } from "../harness/htpasswd.js";

const run = promisify(execFile);

/** One user, in the forms that the proxies take. */
export interface Login {
  readonly user: string;
  readonly password: string;
  /** Line of an htpasswd file, apr1. */
  readonly htpasswd: string;
  /** The same hash with the salt prefix `$1$`, which C libraries know. */
  readonly hash: string;
  readonly authorization: string;
}

export async function makeLogin(): Promise<Login> {
  const [user, password] = ["bench", "correct horse"];
  const { stdout } = await run("openssl", ["passwd", "-1", password]);
  return {
    user,
    password,
    htpasswd: await htpasswdLine(user, password),
    hash: stdout.trim(),
    authorization: basic(user, password),
  };
}
