/** Annotations of other domains that users may take for ours. */
import type { Ingress } from "../../api/wire.js";
import type { Report } from "../../diagnostics/sink.js";
import type { CompileOptions } from "../../model/options.js";
import { annotationField, placeOf } from "../place.js";
import { findAnnotation } from "./annotation-table.js";
import { exactKey, parseAnnotationKey } from "./annotations/annotation-key.js";

const AUTH_WORD = /(?:^|[-_.])(?:auth|authn|oauth2?|oidc|jwt)(?:[-_.]|$)/i;
/** Domains that are taken for that of ingress-nginx, which never read them. */
const SIMILAR_DOMAINS: ReadonlySet<string> = new Set(["ingress.kubernetes.io", "kubernetes.io"]);

/** Those that mean authentication, or what ingress-nginx would do below its own domain. Names that are read under ours are left alone. */
export function foreignAnnotations(
  ingress: Ingress,
  { domains }: CompileOptions,
): readonly Report[] {
  const texts = Object.keys(ingress.metadata.annotations ?? {});
  const read = new Set(texts.flatMap((text) => exactKey(text, domains)?.name ?? []));
  return texts.flatMap((text) => {
    const slash = text.indexOf("/");
    const name = text.slice(slash + 1);
    if (read.has(name) || parseAnnotationKey(text, domains) !== undefined) return [];
    const isKnown = findAnnotation(name) !== undefined;
    const place = { ...placeOf(ingress, ...annotationField(text)), at: "key" } as const;
    const meant = `did you mean ${domains.compatAnnotations}/${name}?`;
    if (SIMILAR_DOMAINS.has(text.slice(0, slash))) {
      if (!isKnown) return [];
      const message = `${text} has no effect, as in ingress-nginx`;
      return { code: "ANNOTATION_WITHOUT_EFFECT", message, hint: meant, ...place };
    }
    if (!AUTH_WORD.test(name)) return [];
    const message = `${text} has no effect here`;
    const protect = "protect the paths with auth-type or auth-url, if nothing else does";
    const hint = isKnown ? meant : protect;
    return { code: "ANNOTATION_UNKNOWN", message, hint, ...place };
  });
}
