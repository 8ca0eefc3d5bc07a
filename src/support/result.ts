/** What a parser returns: a value, or a sentence that says what is wrong. */
export type Result<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** What the value leaves out of the text. */
      readonly problem?: string;
    }
  | { readonly ok: false; readonly problem: string };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function problem<T = never>(text: string): Result<T> {
  return { ok: false, problem: text };
}
