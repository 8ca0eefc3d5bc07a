/**
 * Reads the plain YAML that kubectl and Helm print, about eight times faster than the parser: block mappings and lists, plain and quoted
 * values on one line, literal blocks, empty `{}` and `[]`, and comments on lines of their own. It gives up at everything else and at every
 * error, so the parser alone decides what is valid and where a mistake is.
 */
import { MANIFEST_SCHEMA } from "./positions.js";

/** The values of a text's documents, equal to those of the parser. Undefined: the text has to be parsed. */
export function readPlainYaml(text: string): readonly unknown[] | undefined {
  if (UNUSUAL.test(text)) return undefined;
  try {
    return new PlainReader(text).documents();
  } catch (error: unknown) {
    // A value of millions of characters takes more stack than an expression may use.
    if (error === NOT_PLAIN || error instanceof RangeError) return undefined;
    throw error;
  }
}

const NOT_PLAIN = new Error("not plain YAML");
/** Other line breaks, tabs, byte order marks, control characters and surrogates: YAML has a rule for each. */
const UNUSUAL = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
/** Collections inside collections; far below the parser's limit. */
const MAX_DEPTH = 50;

const KEY = /[A-Za-z_](?:[\w./-]|:(?=[^ \n]))*(?=:(?:[ \n]|$))/y;
/** The parser reads such a key as a boolean or null. */
const WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** One line without a comment or `: `. */
const PLAIN = /(?:[\w./+~^$(]|-(?=[\w.]))(?:[^ :#\n]|:(?=[^ \n])| +(?=[^ #\n]))*(?=\n|$)/y;
const SINGLE_QUOTED = /'(?:[^'\n]|'')*'(?= *(?:\n|$))/y;
/** With the escapes that mean the same in JSON. */
const DOUBLE_QUOTED = /"(?:[^"\\\n]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"(?= *(?:\n|$))/y;
const EMPTY_MAPPING = /\{\}(?= *(?:\n|$))/y;
const EMPTY_LIST = /\[\](?= *(?:\n|$))/y;
const LITERAL = /\|-?\n/y;
const DASH = /-(?=[ \n]|$)/y;
const SEPARATOR = /---(?=\n|$)/y;
const SPACES = / */y;
const REST_OF_LINE = /.*/y;
const LINE_BREAKS = /\n*/y;
const LINE_END = /\n|$/y;

class PlainReader {
  readonly #text: string;
  #at = 0;
  /** Column of the content that begins at `#at`; -1 at the end of a document. */
  #column = -1;
  #isAtSeparator = false;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  documents(): readonly unknown[] {
    const documents: unknown[] = [];
    this.#toContent();
    while (this.#column >= 0 || this.#isAtSeparator) {
      if (this.#isAtSeparator) this.#take(SEPARATOR);
      if (this.#column < 0) this.#nextLine();
      if (this.#column > 0) throw NOT_PLAIN;
      documents.push(this.#column < 0 ? null : this.#collection());
      if (this.#column >= 0) throw NOT_PLAIN;
    }
    return documents;
  }

  #collection(): unknown {
    if (++this.#depth > MAX_DEPTH) throw NOT_PLAIN;
    const column = this.#column;
    const value = this.#isAt(DASH) ? this.#list(column) : this.#mapping(column);
    if (this.#column > column) throw NOT_PLAIN;
    this.#depth -= 1;
    return value;
  }

  #mapping(column: number): unknown {
    const mapping: Record<string, unknown> = {};
    while (this.#column === column) {
      const key = this.#take(KEY);
      // A duplicate, or a name that every object has, such as __proto__.
      if (WORD.test(key) || key in mapping) throw NOT_PLAIN;
      this.#at += 1;
      mapping[key] = this.#isValueBelow() ? this.#below(column, true) : this.#scalar(column);
    }
    return mapping;
  }

  #list(column: number): unknown {
    this.#at += 1;
    // Most lists have one item, and the first `push` makes room for 17.
    const list = [this.#item(column)];
    while (this.#column === column && this.#isAt(DASH)) {
      this.#at += 1;
      list.push(this.#item(column));
    }
    return list;
  }

  #item(column: number): unknown {
    const start = this.#at;
    if (this.#isValueBelow()) return this.#below(column, false);
    if (!this.#isAt(DASH) && !this.#isAt(KEY)) return this.#scalar(column);
    this.#column = column + 1 + this.#at - start;
    return this.#collection();
  }

  /** Skips the spaces after a colon or dash. */
  #isValueBelow(): boolean {
    this.#take(SPACES);
    return this.#isAt(LINE_END);
  }

  /** The collection on the next lines, or null. A list may begin in the column of the key that it belongs to. */
  #below(column: number, isField: boolean): unknown {
    this.#nextLine();
    const isListOfKey = isField && this.#column === column && this.#isAt(DASH);
    return this.#column > column || isListOfKey ? this.#collection() : null;
  }

  /** `column`: that of the mapping or list. */
  #scalar(column: number): unknown {
    switch (this.#text.charAt(this.#at)) {
      case "'":
        return this.#lastOfLine(SINGLE_QUOTED).slice(1, -1).replaceAll("''", "'");
      case '"': {
        const quoted = this.#lastOfLine(DOUBLE_QUOTED);
        return quoted.includes("\\") ? JSON.parse(quoted) : quoted.slice(1, -1);
      }
      case "{":
        this.#lastOfLine(EMPTY_MAPPING);
        return {};
      case "[":
        this.#lastOfLine(EMPTY_LIST);
        return [];
      case "|":
        return this.#literal(column);
      default:
        return MANIFEST_SCHEMA.resolveImplicitScalarTag(this.#lastOfLine(PLAIN)).value;
    }
  }

  #literal(column: number): string {
    const isClipped = this.#take(LITERAL) === "|\n";
    const indentation = this.#take(SPACES).length;
    if (indentation <= column) throw NOT_PLAIN;
    let value = "";
    for (;;) {
      const line = this.#take(REST_OF_LINE);
      if (line.trimStart() === "") throw NOT_PLAIN;
      value += line;
      const breaks = this.#take(LINE_BREAKS);
      const next = this.#at;
      const spaces = this.#take(SPACES).length;
      // Spaces after the last line may be a part of the text.
      if (spaces > 0 && this.#isAt(LINE_END)) throw NOT_PLAIN;
      this.#at = next;
      if (spaces < indentation) break;
      value += breaks;
      this.#at += indentation;
    }
    this.#toContent();
    return isClipped ? `${value}\n` : value;
  }

  #lastOfLine(value: RegExp): string {
    const text = this.#take(value);
    this.#take(SPACES);
    this.#nextLine();
    return text;
  }

  #nextLine(): void {
    this.#at += 1;
    this.#toContent();
  }

  /** From the beginning of a line to the next content, which is neither blank nor a comment. */
  #toContent(): void {
    this.#column = -1;
    this.#isAtSeparator = this.#isAt(SEPARATOR);
    while (this.#at < this.#text.length && !this.#isAtSeparator) {
      const column = this.#take(SPACES).length;
      if (this.#text.charAt(this.#at) === "#") this.#take(REST_OF_LINE);
      if (!this.#isAt(LINE_END)) {
        this.#column = column;
        return;
      }
      this.#at += 1;
      this.#isAtSeparator = this.#isAt(SEPARATOR);
    }
  }

  #isAt(expression: RegExp): boolean {
    expression.lastIndex = this.#at;
    return expression.test(this.#text);
  }

  #take(expression: RegExp): string {
    const start = this.#at;
    if (!this.#isAt(expression)) throw NOT_PLAIN;
    this.#at = expression.lastIndex;
    return this.#text.slice(start, this.#at);
  }
}
