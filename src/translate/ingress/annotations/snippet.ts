/** What a snippet of nginx configuration is for, as far as its directives tell. */

/** A quoted text, a comment, a mark that ends a statement, or a word. A comment begins where a word could. */
const TOKEN = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(#[^\n]*)|([;{}])|(?:\\.|[^\s;{}])+/gs;

const RESTRICTING =
  /^(?:deny|allow|auth_\w+|limit_except|internal|satisfy|ssl_verify_client|modsecurity\w*|access_by_lua\w*)$/;
/** `return`, `rewrite` and `try_files` refuse requests by a status. */
const ANSWERING = /^(?:return|rewrite|try_files)$/;
const REFUSAL = /^=?[45]\d\d$/;
/** The status of a `return` may be any where a variable says it. */
const VARIABLE = /^\$\w*$/;

/** Whether one of its directives decides who may pass: it denies, allows, authenticates, or answers with an error. */
export function snippetRestricts(text: string): boolean {
  let directive: string | undefined;
  let before: string | undefined;
  for (const [token, comment, end] of text.matchAll(TOKEN)) {
    if (comment !== undefined) continue;
    if (end !== undefined) {
      directive = before = undefined;
      continue;
    }
    const word = token.replace(/^(["'])(.*)\1$/s, "$2");
    directive ??= word;
    if (RESTRICTING.test(directive)) return true;
    if (ANSWERING.test(directive) && REFUSAL.test(word)) return true;
    if (before === "return" && VARIABLE.test(word)) return true;
    before = word;
  }
  return false;
}
