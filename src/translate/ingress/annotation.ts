import type { Result } from "../../support/result.js";
import type { AnnotationPrefix } from "./annotation-key.js";

/** How the text of an annotation is read. */
export interface AnnotationType<T> {
  /** For the documentation, such as `boolean` or `list of CIDRs`. */
  readonly description: string;
  /** The value, or what is wrong with the text; it is never called with blank text. */
  readonly parse: (text: string) => Result<T>;
}

/**
 * What becomes of a value that can't be honoured, because it is malformed or the annotation is not supported.
 * `ignored`: reported, and the paths are served as if it were absent (it only tunes).
 * `closed`: reported, and the paths answer 503 (it restricts access or redirects, so serving them would open them).
 * `unenforced`: reported as an error, and the paths are served (it limits how much, not who).
 * `unserved`: reported, and the Ingress is not served (it means something else than its rules say).
 */
export type Fallback = "ignored" | "closed" | "unenforced" | "unserved";

/** What the annotation is about; a section of docs/annotations.md. */
export type AnnotationGroup =
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

interface AnnotationBase {
  /** Without prefix. */
  readonly name: string;
  readonly group: AnnotationGroup;
  /** Where it is read, highest priority first. */
  readonly prefixes: readonly AnnotationPrefix[];
  readonly fallback: Fallback;
  /** What it does, one sentence for docs/annotations.md. */
  readonly doc: string;
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
