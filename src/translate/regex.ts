/** Constructs of PCRE that JavaScript's expressions lack; with one of them only the data plane can tell. */
const PCRE_ONLY = /\(\?(?:[#|&PR>(+\-0-9]|[a-zA-Z]*[-:)])|\\[QEKGRXAZzhHNg]|[*+?}]\+|\[\[:|\(\*/;

/**
 * What is wrong with a PCRE pattern, as far as that can be known without PCRE: unbalanced brackets, quantifiers of nothing and the
 * like. The data plane refuses the requests of patterns that only PCRE finds wrong.
 */
export function regexProblem(pattern: string): string | undefined {
  if (pattern.includes("\0")) return "a regular expression can't hold NUL";
  if (PCRE_ONLY.test(pattern)) return undefined;
  try {
    new RegExp(pattern);
    return undefined;
  } catch {
    return `${JSON.stringify(pattern)} is not a regular expression`;
  }
}
