import type { PolicyDocument } from "../model/policy.js";

/** The document in a policy.json that this version of albc has made. */
export function readPolicy(text: string): PolicyDocument {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the caller compiled it a moment ago
  return JSON.parse(text) as PolicyDocument;
}
