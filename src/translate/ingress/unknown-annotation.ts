import { didYouMean } from "../../support/did-you-mean.js";
import { ANNOTATIONS, findAnnotation } from "./annotation-table.js";

/** What a name that no annotation has was probably meant to be. */
export interface UnknownAnnotation {
  /** The annotation with the most similar name, if one is near. */
  readonly meant?: string;
  /** It was probably meant to restrict access, so ignoring it may open the paths. */
  readonly restricts: boolean;
}

const NAMES = ANNOTATIONS.map(({ name }) => name);

/** Nearer by its letters to the list of the opposite meaning. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["blacklist-source-range", "denylist-source-range"],
]);

/** Names of authentication and of lists of clients. ingress-nginx has none but those of the table. */
const RESTRICTING_FAMILY = /^auth|auth$|source-range|^(?:allow|white|deny|black|block)-?list/i;

/** Undefined: the annotation is known. */
export function unknownAnnotation(name: string): UnknownAnnotation | undefined {
  if (findAnnotation(name) !== undefined) return undefined;
  const meant = OTHER_NAMES.get(name) ?? didYouMean(name, NAMES);
  if (meant === undefined) return { restricts: RESTRICTING_FAMILY.test(name) };
  return { meant, restricts: findAnnotation(meant)?.fallback === "closed" };
}
