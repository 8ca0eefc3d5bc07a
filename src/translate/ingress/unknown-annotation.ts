import { didYouMean } from "../../support/did-you-mean.js";
import { memoizedText } from "../../support/memoized.js";
import { ANNOTATIONS, findAnnotation } from "./annotation-table.js";

/** What a name that no annotation has was probably meant to be. */
export interface UnknownAnnotation {
  /** The annotation with the most similar name, if one is near. */
  readonly meant?: string;
  /** None is near, but its name is one of authentication or of lists of clients. */
  readonly isOfFamily: boolean;
}

const NAMES = ANNOTATIONS.map(({ name }) => name);

/** Nearer by its letters to the list of the opposite meaning. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["blacklist-source-range", "denylist-source-range"],
]);

/** What names that are near to none are for. ingress-nginx has none of these but those of the table. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/mod-?sec|waf/i, "enable-modsecurity"],
  [/snippet/i, "configuration-snippet"],
];

/** Names of authentication and of lists of clients. ingress-nginx has none but those of the table. */
const RESTRICTING_FAMILY = /auth|cidr|source-range|(?:allow|white|deny|black|block)-?list/i;

/** The annotation that a name is the beginning or the end of, such as `type`, if it decides who may pass. */
function truncated(name: string): string | undefined {
  return ANNOTATIONS.find(
    ({ name: known, fallback }) =>
      fallback === "closed" && (known.startsWith(`${name}-`) || known.endsWith(`-${name}`)),
  )?.name;
}

/** Undefined: the annotation is known. */
export const unknownAnnotation = memoizedText((name): UnknownAnnotation | undefined => {
  if (findAnnotation(name) !== undefined) return undefined;
  const meant =
    OTHER_NAMES.get(name) ??
    didYouMean(name, NAMES) ??
    FAMILIES.find(([family]) => family.test(name))?.[1] ??
    truncated(name);
  return meant === undefined
    ? { isOfFamily: RESTRICTING_FAMILY.test(name) }
    : { meant, isOfFamily: false };
});
