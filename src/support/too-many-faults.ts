/** Bugs of albc make more objects fail than can be closed one by one; see translate/faulty-objects.ts. */
export class TooManyFaults extends Error {}
