import { isIP } from "node:net";
import { type Redirect, isRedirectStatus } from "../../../model/filters.js";
import { MAX_TIMEOUT } from "../../../model/route.js";
import { groupBy } from "../../../support/collections.js";
import { isDnsName } from "../../../support/ip-address.js";
import { own } from "../../../support/json-object.js";
import { type Result, ok, problem } from "../../../support/result.js";
import { shortened, textList } from "../../../support/text.js";
import { percentage } from "../../../support/units.js";
import { isAuthority, isHeaderName, isPlainName } from "../../http/headers.js";
import { type AnnotationPrefix, EVERY_PREFIX } from "./annotation-key.js";

/** How the text of an annotation is read. */
export interface AnnotationType<T> {
  /** For the documentation, such as `boolean` or `list of CIDRs`. */
  readonly description: string;
  /** The value, or what is wrong with the text; it is never called with blank text. */
  readonly parse: (text: string) => Result<T>;
}

interface AnnotationBase {
  /** Without prefix. */
  readonly name: string;
  /** What it is about; a section of docs/annotations.md. */
  readonly group:
    | "auth"
    | "access"
    | "tls"
    | "routing"
    | "redirect"
    | "rewrite"
    | "cors"
    | "backend"
    | "affinity"
    | "canary"
    | "observability"
    | "waf"
    | "snippet";
  /** Where it is read, highest priority first. */
  readonly prefixes: readonly AnnotationPrefix[];
  /**
   * What becomes of a value that can't be honoured, because it is malformed or the annotation is not supported.
   * `ignored`: reported, and the paths are served as if it were absent (it only tunes).
   * `closed`: reported, and the paths answer 503 (it restricts access or redirects, so serving them would open them).
   * `unenforced`: reported as an error, and the paths are served (it limits how much, not who).
   * `unserved`: reported, and the Ingress is not served (it means something else than its rules say).
   */
  readonly fallback: "ignored" | "closed" | "unenforced" | "unserved";
  /** What it does, one sentence for docs/annotations.md. */
  readonly doc: string;
  /** How it differs from ingress-nginx, a clause for docs/annotations.md. Absent: it does the same. */
  readonly otherwise?: string;
}

/** An annotation that has an effect. */
export interface Annotation<T> extends AnnotationBase {
  readonly supported: true;
  readonly type: AnnotationType<T>;
}

/** An annotation that is known and has no effect but `fallback`. */
export interface UnsupportedAnnotation extends AnnotationBase {
  readonly supported: false;
  /** Whether a value, never blank, does what `fallback` is for; `false` of a switch does not. */
  readonly acts: (text: string) => boolean;
  /** Why not, and what to use instead where there is something; a sentence for the report and the documentation. */
  readonly why: string;
}

/** A row of the annotation table; parsing, reports and docs/annotations.md all follow from it. */
export type AnyAnnotation = Annotation<unknown> | UnsupportedAnnotation;

/** The types of annotation values. ingress-nginx's readings hold: Go's booleans, nginx's sizes. */

export const TEXT: AnnotationType<string> = { description: "text", parse: ok };

const TRUE: ReadonlySet<string> = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const FALSE: ReadonlySet<string> = new Set(["0", "f", "F", "FALSE", "false", "False"]);

export const BOOLEAN: AnnotationType<boolean> = {
  description: "boolean",
  parse: (text) => {
    if (TRUE.has(text)) return ok(true);
    return FALSE.has(text) ? ok(false) : problem(`${shown(text)} is neither true nor false`);
  },
};

export const NATURAL: AnnotationType<number> = {
  description: "number",
  parse: (text) =>
    /^\d{1,15}$/.test(text) ? ok(Number(text)) : problem(`${shown(text)} is not a whole number`),
};

export const INTEGER: AnnotationType<number> = {
  description: "number, may be negative",
  parse: (text) =>
    /^-?\d{1,10}$/.test(text) ? ok(Number(text)) : problem(`${shown(text)} is not a whole number`),
};

const DURATION_TEXT = /^(\d{1,12}(?:\.\d{1,9})?)(ms|s)?$/;

/** Milliseconds. */
export const DURATION: AnnotationType<number> = {
  description: "seconds, or a number with `s` or `ms`",
  parse: (text) => {
    const match = DURATION_TEXT.exec(text);
    const value = match === null ? 0 : Number(match[1]) * (match[2] === "ms" ? 1 : 1000);
    const milliseconds = Math.round(value);
    if (milliseconds >= 1 && milliseconds <= MAX_TIMEOUT) return ok(milliseconds);
    return problem(`${shown(text)} is not a time such as 60, 10s or 500ms`);
  },
};

const SIZE_TEXT = /^(\d{1,12})([kmg]?)$/i;
const SIZE_UNITS: Readonly<Record<string, number>> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** Bytes. */
export const SIZE: AnnotationType<number> = {
  description: "bytes, or a number with `k`, `m` or `g`; 0 means no limit",
  parse: (text) => {
    const match = SIZE_TEXT.exec(text);
    const unit = own(SIZE_UNITS, match?.[2]?.toLowerCase() ?? "") ?? 1;
    const bytes = Number(match?.[1]) * unit;
    return Number.isSafeInteger(bytes)
      ? ok(bytes)
      : problem(`${shown(text)} is not a size such as 512, 8k, 10m or 1g`);
  },
};

export const PERCENT: AnnotationType<number> = {
  description: "percentage such as 5 or 0.1",
  parse: (text) => {
    const value = percentage(text);
    return value === undefined ? problem(`${shown(text)} is not a percentage`) : ok(value);
  },
};

/** One address or network in each item; single addresses become networks of one. */
export const CIDRS: AnnotationType<readonly string[]> = {
  description: "list of addresses and CIDRs",
  parse: (text) => {
    const items = textList(text);
    const cidrs = items.flatMap((item) => parseCidr(item) ?? []);
    if (items.length === 0) return problem("it names no address");
    if (cidrs.length === items.length) return ok(cidrs);
    return problem(problemOfItems(items, (item) => parseCidr(item) !== undefined, noCidr));
  },
};

const noCidr: ItemProblem = () => [
  "is neither an address nor a CIDR",
  "are neither addresses nor CIDRs",
];

function parseCidr(text: string): string | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  const bits = family === 4 ? 32 : 128;
  const length = prefix ?? String(bits);
  const isValid =
    family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= bits;
  return isValid ? `${address}/${String(Number(length))}` : undefined;
}

export const REDIRECT_STATUS: AnnotationType<Redirect["status"]> = {
  description: "301, 302, 303, 307 or 308",
  parse: (text) => {
    const status = Number(text);
    return isRedirectStatus(status) ? ok(status) : problem(`${shown(text)} is no redirect status`);
  },
};

export const AUTHORITY: AnnotationType<string> = {
  description: "host, with or without port",
  parse: (text) => (isAuthority(text) ? ok(text) : problem(`${shown(text)} is not a host`)),
};

export const DNS_NAME: AnnotationType<string> = {
  description: "host name",
  parse: (text) => {
    const name = text.toLowerCase();
    return isDnsName(name) ? ok(name) : problem(`${shown(text)} is not a DNS name`);
  },
};

export const PORT: AnnotationType<number> = {
  description: "port number",
  parse: (text) => {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    return port >= 1 && port <= 65535 ? ok(port) : problem(`${shown(text)} is not a port`);
  },
};

/** What is wrong with an item of a list: of one, and of several. */
type ItemProblem = (text: string) => readonly [of: string, ofSeveral: string];

/** Items that a message names. */
const MOST_NAMED = 5;

/** Names the items that can't be read. */
function problemOfItems(
  items: readonly string[],
  isItem: (text: string) => boolean,
  problemOf: ItemProblem,
): string {
  const wrong = items.filter((item) => !isItem(item));
  const alike = groupBy(wrong, (item) => problemOf(item)[0]);
  return [...alike]
    .map(([is, texts]) => {
      const [, are] = problemOf(texts[0] ?? "");
      return `${shortened(texts.map(shown), MOST_NAMED)} ${texts.length === 1 ? is : are}`;
    })
    .join(", and ");
}

/** A comma-separated list. Items that can't be read are left out; they cost no other, and make the list no wider. */
function listOf(
  description: string,
  isItem: (text: string) => boolean,
  problemOf: ItemProblem = () => [`is none of ${description}`, `are none of ${description}`],
): AnnotationType<readonly string[]> {
  return {
    description: `list of ${description}`,
    parse: (text) => {
      const items = textList(text);
      const value = items.filter(isItem);
      const isWhole = value.length === items.length;
      return {
        ok: true,
        value,
        ...(!isWhole && { problem: problemOfItems(items, isItem, problemOf) }),
      };
    },
  };
}

const METHOD = /^[A-Za-z]+$/;
const ORIGIN = /^(?:[a-z]+:\/\/(?:\*\.)?[A-Za-z0-9.-]+(?::\d+)?|\*|null)$/;
const ORIGIN_LIST = "origins, `*` for any";

export const METHOD_LIST = listOf("HTTP methods", (text) => text === "*" || METHOD.test(text));
export const HEADER_NAMES = listOf("header names", (text) => text === "*" || isPlainName(text));
export const ORIGINS = listOf(
  ORIGIN_LIST,
  (text) => ORIGIN.test(text),
  (text) =>
    ORIGIN.test(text.replace(/\/+$/, ""))
      ? ["has a slash at its end; leave it out", "have a slash at their end; leave it out"]
      : [`is none of ${ORIGIN_LIST}`, `are none of ${ORIGIN_LIST}`],
);
export const DNS_NAMES = listOf("host names", (text) => isDnsName(text.toLowerCase()));

/** One of the words, compared as `fold` leaves them. */
export function choiceOf<const T extends string>(
  words: readonly T[],
  fold: (text: string) => string = (text) => text,
): AnnotationType<T> {
  return {
    description: words.map((word) => `\`${word}\``).join(", "),
    parse: (text): Result<T> => {
      const word = words.find((candidate) => candidate === fold(text));
      return word === undefined
        ? problem(`${shown(text)} is none of ${words.join(", ")}`)
        : ok(word);
    },
  };
}

/** Whether responses are collected before they are passed on. */
export const BUFFERING = choiceOf(["on", "off"]);

/** RFC 6265, 4.1.1: a token. */
export const COOKIE: AnnotationType<string> = {
  description: "name of a cookie",
  parse: (text) =>
    isHeaderName(text) ? ok(text) : problem(`${shown(text)} is not the name of a cookie`),
};

function shown(text: string): string {
  return JSON.stringify(text);
}

/** For one path, under every prefix. */
export const PATH_PREFIXES = EVERY_PREFIX;
/** For one path, under the own domain only: nothing of the compatible domain has this name. */
export const OWN_PREFIXES: readonly AnnotationPrefix[] = ["index", "own"];
/** For the whole Ingress: paths can't differ in it. */
export const INGRESS_PREFIXES: readonly AnnotationPrefix[] = ["own", "compat"];

/** Makes the rows of a group: as most are, or with what differs. */
export function rowsOf(group: AnyAnnotation["group"]) {
  return <T>(
    name: string,
    type: Annotation<T>["type"],
    doc: string,
    differs: Partial<Pick<Annotation<T>, "prefixes" | "fallback" | "otherwise">> = {},
  ): Annotation<T> => {
    const usual = { prefixes: PATH_PREFIXES, fallback: "ignored", supported: true } as const;
    return { name, group, ...usual, type, doc, ...differs };
  };
}
