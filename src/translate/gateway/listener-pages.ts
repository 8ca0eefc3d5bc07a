import type { Gateway, ListenerSet } from "../../api/gateway.js";
import type { Report } from "../../diagnostics/sink.js";
import type { Route } from "../../model/route.js";
import { didYouMean } from "../../support/did-you-mean.js";
import { own } from "../../support/json-object.js";
import type { BuildContext } from "../config-builder.js";
import { problemOfValue } from "../ingress/annotation-problems.js";
import type { AnnotationType } from "../ingress/annotations/annotation.js";
import { ERROR_PAGE_ROWS, readErrorPages } from "../ingress/annotations/error-pages.js";
import { annotationField, placeOf } from "../place.js";

/**
 * Error pages for the routes of a listener. Annotations of a Gateway or ListenerSet: `<own domain>/custom-http-errors` and
 * `default-backend` for all of its listeners, `listener.<name>.<own domain>/…` for one, which win. Their Service is of the namespace of the
 * Gateway or ListenerSet.
 */
export function listenerPages(
  parent: Gateway | ListenerSet,
  listener: string,
  context: BuildContext,
): Pick<Route, "errorPages"> {
  const { annotations, namespace } = parent.metadata;
  const domain = context.options.domains.annotations;
  const keyOf = (name: string): string =>
    [`listener.${listener}.${domain}/${name}`, `${domain}/${name}`].find(
      (key) => textOf(own(annotations, key)) !== "",
    ) ?? "";
  const get = <T>({ name, type }: { name: string; type: AnnotationType<T> }): T | undefined => {
    const text = textOf(own(annotations, keyOf(name)));
    const parsed = text === "" ? undefined : type.parse(text);
    return parsed?.ok === true ? parsed.value : undefined;
  };
  const place = ({ name }: { name: string }) => placeOf(parent, ...annotationField(keyOf(name)));
  return readErrorPages({ get, place, namespace, isIngress: false }, context);
}

function textOf(value: string | undefined): string {
  return value?.trim() ?? "";
}

/** Reports annotations of a Gateway or ListenerSet that are to be about error pages and have no effect. */
export function reportPageAnnotations(
  parent: Gateway | ListenerSet,
  { options, diagnostics }: BuildContext,
): void {
  for (const [key, value] of Object.entries(parent.metadata.annotations ?? {})) {
    const problem = problemOfAnnotation(key, textOf(value), parent, options);
    if (problem === undefined) continue;
    diagnostics.report({ ...problem, ...placeOf(parent, ...annotationField(key)) });
  }
}

const ROWS = Object.values(ERROR_PAGE_ROWS);

function problemOfAnnotation(
  key: string,
  text: string,
  parent: Gateway | ListenerSet,
  options: BuildContext["options"],
): Report | undefined {
  const { annotations: ownDomain, compatAnnotations } = options.domains;
  const slash = key.lastIndexOf("/");
  const [domain, name] = [key.slice(0, Math.max(0, slash)), key.slice(slash + 1)];
  const row = ROWS.find((each) => each.name === name);
  if (domain === compatAnnotations && row !== undefined) {
    const message = `${name} is not read under this prefix on a ${parent.kind}, only under ${ownDomain}`;
    return { code: "ANNOTATION_PREFIX", message, at: "key" };
  }
  const listener = /^listener\.(.*)\.$/.exec(
    domain.endsWith(ownDomain) ? domain.slice(0, -ownDomain.length) : "",
  )?.[1];
  if (domain !== ownDomain && listener === undefined) return undefined;
  if (row === undefined) return problemOfName(name, listener);
  const names = parent.spec.listeners.map((each) => each.name);
  if (listener !== undefined && !names.includes(listener)) {
    const message = `the ${parent.kind} has no listener ${JSON.stringify(listener)}`;
    return { code: "ANNOTATION_INDEX_UNUSED", message, ...hintOf(listener, names), at: "key" };
  }
  return text === "" ? undefined : problemOfValue(row, text, options);
}

/** Without `listener`, only names that are near: other software may have annotations of this domain on Gateways. */
function problemOfName(name: string, listener: string | undefined): Report | undefined {
  const hint = hintOf(
    name,
    ROWS.map((row) => row.name),
  );
  if (listener === undefined && hint.hint === undefined) return undefined;
  const message = `${JSON.stringify(name)} is not an annotation that is known`;
  return { code: "ANNOTATION_UNKNOWN", message, ...hint, at: "key" };
}

function hintOf(text: string, known: readonly string[]): { readonly hint?: string } {
  const meant = didYouMean(text, known);
  return meant === undefined ? {} : { hint: `did you mean ${meant}?` };
}
