/** A set. Most have one member: a list of it takes twice the memory, a Set five times. */
export type Few<T extends object> = T | Many<T> | undefined;
type Many<T extends object> = readonly T[] | Set<T>;

const FEW = 8;
const NONE: readonly never[] = [];

function isMany<T extends object>(few: T | Many<T>): few is Many<T> {
  return Array.isArray(few) || few instanceof Set;
}

export function membersOf<T extends object>(few: Few<T>): Many<T> {
  if (few === undefined) return NONE;
  return isMany(few) ? few : [few];
}

/** A large set is changed in place. */
export function withMember<T extends object>(few: Few<T>, member: T): Few<T> {
  if (few === undefined) return member;
  const known = membersOf(few);
  if (known instanceof Set) return known.add(member);
  if (known.includes(member)) return few;
  return known.length < FEW ? known.concat(member) : new Set(known).add(member);
}

export function withoutMember<T extends object>(few: Few<T>, member: T): Few<T> {
  const known = membersOf(few);
  if (known instanceof Set) {
    known.delete(member);
    return known.size === 0 ? undefined : known;
  }
  const left = known.filter((each) => each !== member);
  return left.length <= 1 ? left[0] : left;
}

export function countOf<T extends object>(few: Few<T>): number {
  const members = membersOf(few);
  return members instanceof Set ? members.size : members.length;
}
