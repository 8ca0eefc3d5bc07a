/** nginx's block syntax (ngx_conf_file.c), read as far as it can be. */

import { present } from "../../../support/json-object.js";

export interface Directive {
  readonly name: string;
  readonly args: readonly string[];
  /** Absent for a directive that ends with `;`. */
  readonly block?: readonly Directive[];
  /** Its block has no end. */
  readonly isOpen?: true;
}

/** What a snippet says. `problem`: why nginx would refuse it; the directives are then those that can be made out. */
export interface ParsedSnippet {
  readonly directives: readonly Directive[];
  readonly problem?: string;
}

/**
 * A quoted text, a comment, a mark that ends a statement, or a word. A comment or a quoted text begins where a word could; a quote without
 * its end is read as a word.
 */
const TOKEN =
  /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')([^\s;{)])?|(#[^\n]*)|([;{}])|(?:\\.|\$\{\w*\}|[^\s;{}])+/gs;

export function parseSnippet(text: string): ParsedSnippet {
  const parser = new Parser();
  for (const [token, quoted, glued, comment, mark] of text.matchAll(TOKEN)) {
    if (comment !== undefined) continue;
    if (mark === undefined) parser.word(token, quoted, glued);
    else if (!parser.mark(mark)) break;
  }
  return parser.end();
}

/** Blocks in blocks; real snippets have three. Readers recurse. */
const DEEPEST = 32;

class Parser {
  readonly #outer: Directive[] = [];
  readonly #open: { readonly words: readonly string[]; readonly directives: Directive[] }[] = [];
  #words: string[] = [];
  #problem: string | undefined;

  word(token: string, quoted: string | undefined, glued: string | undefined): void {
    this.#note(wordProblem(token, quoted, glued));
    this.#words.push(unescaped(quoted === undefined ? token : quoted.slice(1, -1)));
    if (glued !== undefined) this.#words.push(glued);
  }

  /** False: the rest is not read. */
  mark(mark: string): boolean {
    const words = this.#words;
    if (mark === "}") this.#note(missingEnd(words));
    else if (words.length === 0) this.#note(`has a ${mark} without a directive`);
    if (mark === "{") return this.#begin();
    this.#endStatement();
    if (mark === "}" && !this.#close()) this.#note("has a } without its {");
    return true;
  }

  end(): ParsedSnippet {
    this.#note(missingEnd(this.#words));
    this.#endStatement();
    if (this.#open.length > 0) this.#note("has a { without its }");
    while (this.#close(true));
    return { directives: this.#outer, ...present("problem", this.#problem) };
  }

  #begin(): boolean {
    if (this.#open.length === DEEPEST) {
      this.#note(`has more than ${String(DEEPEST)} blocks in each other`);
      // What is not read may restrict, as a directive without a name does.
      this.#outer.push({ name: "", args: [] });
      return false;
    }
    this.#open.push({ words: this.#words, directives: [] });
    this.#words = [];
    return true;
  }

  #endStatement(): void {
    const directive = directiveOf(this.#words);
    if (directive !== undefined) this.#into().push(directive);
    this.#words = [];
  }

  /** Ends the innermost block; false: there is none. */
  #close(isOpen = false): boolean {
    const block = this.#open.pop();
    if (block === undefined) return false;
    const head = directiveOf(block.words) ?? { name: "", args: [] };
    this.#into().push({ ...head, block: block.directives, ...(isOpen && { isOpen }) });
    return true;
  }

  #into(): Directive[] {
    return this.#open.at(-1)?.directives ?? this.#outer;
  }

  /** The first problem counts. */
  #note(problem: string | undefined): void {
    this.#problem ??= problem;
  }
}

function directiveOf([name, ...args]: readonly string[]): Directive | undefined {
  return name === undefined ? undefined : { name, args };
}

function missingEnd([name]: readonly string[]): string | undefined {
  return name === undefined ? undefined : `has ${shownWord(name)} without a ; at its end`;
}

function wordProblem(
  token: string,
  quoted: string | undefined,
  glued: string | undefined,
): string | undefined {
  if (glued !== undefined) return "has a quoted text without a blank after it";
  return quoted === undefined && /^["']/.test(token) ? "has a quote without its end" : undefined;
}

/** nginx knows these; it keeps the backslash before any other character. */
const ESCAPED: ReadonlyMap<string, string> = new Map(Object.entries({ t: "\t", r: "\r", n: "\n" }));

function unescaped(text: string): string {
  return text.replace(/\\(["'\\trn])/g, (_, char: string) => ESCAPED.get(char) ?? char);
}

const MAX_SHOWN = 40;

/** A word of a snippet in a message. */
export function shownWord(word: string): string {
  return JSON.stringify(word.length > MAX_SHOWN ? `${word.slice(0, MAX_SHOWN)}...` : word);
}
