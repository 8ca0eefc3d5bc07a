/** The list of auth methods, and how their settings are read from Auth objects and annotations. */
import { AUTH_METHODS, type Auth, type AuthMethodName } from "../../api/auth.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import { own, present } from "../../support/json-object.js";
import {
  type Annotation,
  type AnyAnnotation,
  OWN_PREFIXES,
  choiceOf,
  rowsOf,
} from "../ingress/annotations/annotation.js";
import type { AnnotationLookup } from "../ingress/annotations/annotation-reader.js";
import { annotationField } from "../place.js";
import { BASIC } from "./basic-auth.js";
import { FORWARD } from "./forward-auth.js";
import type { AuthMethod, AuthSettings, MethodSettings, Setting } from "./settings.js";

/** To add a method: its file, and a line here; the order is that of AUTH_METHODS. */
const BY_NAME: { readonly [M in AuthMethodName]: AuthMethod<M> } = {
  basic: BASIC,
  forward: FORWARD,
};

/** In the order in which they are translated and checked. */
export const METHODS: readonly AuthMethod[] = Object.keys(AUTH_METHODS).map((name) => {
  const method = Object.values(BY_NAME).find(({ field }) => field === name);
  if (method === undefined) throw new Error(`no line for the auth method ${name}`);
  return method;
});

/** Field of the Auth object and row of each annotation of a method, the one that switches it on first. */
export function methodAnnotations(
  method: AuthMethod,
): readonly (readonly [field: string, Annotation<unknown>])[] {
  return ANNOTATIONS_OF.get(method) ?? [];
}

const ANNOTATIONS_OF = new Map(
  METHODS.map((method) => [method, Object.entries<Annotation<unknown>>(method.annotations)]),
);

export const AUTH_ENABLE = rowsOf("auth")(
  "auth-enable",
  choiceOf(["true", "false"]),
  "`false` switches authentication off, including inherited authentication; any other value leaves it on.",
  { prefixes: OWN_PREFIXES },
);
/** Its row is in ingress/annotations/unsupported-table.ts. */
const CLIENT_CERTIFICATES = "auth-tls-secret";

/** The supported ones. A problem of the value of a method's annotation closes the path, so the translation reports it. */
export const AUTH_ANNOTATIONS: readonly AnyAnnotation[] = [
  AUTH_ENABLE,
  ...METHODS.flatMap((method) => methodAnnotations(method).map(([, annotation]) => annotation)),
];

/** Without these there is no authentication; the others only say how it is done. */
export const AUTH_SWITCHES: readonly string[] = [
  ...METHODS.flatMap((method) => {
    const [needed] = AUTH_METHODS[method.field].needs;
    return methodAnnotations(method).flatMap(([field, { name }], i) =>
      i === 0 || field === needed ? [name] : [],
    );
  }),
  CLIENT_CERTIFICATES,
];

/** The settings of an Auth object at `field`; undefined if it configures nothing (`{}`). */
export function settingsOfObject(auth: Auth, field: FieldPath): AuthSettings | undefined {
  const place = { label: "auth", field };
  if (auth.invalid !== undefined) return { place, methods: {}, malformed: true };
  const methods = methodsBy((method) => fromObject(method, auth, field));
  return Object.keys(methods).length === 0 ? undefined : { place, methods };
}

function methodsBy(
  read: (method: AuthMethod) => MethodSettings | undefined,
): AuthSettings["methods"] {
  return Object.fromEntries(
    METHODS.flatMap((method) => {
      const settings = read(method);
      return settings === undefined ? [] : [[method.field, settings]];
    }),
  );
}

function fromObject({ field: name }: AuthMethod, auth: Auth, parent: FieldPath) {
  const spec = auth[name];
  if (spec === undefined) return undefined;
  const field = [...parent, name];
  const written = Object.entries(spec).flatMap(([key, given]) => {
    const value = typeof given === "boolean" ? String(given) : given;
    const setting = { value, label: `${name}.${key}`, field: [...field, key] };
    return value === "" ? [] : [[key, setting] as const];
  });
  return { place: { label: name, field }, bareNames: false, written: Object.fromEntries(written) };
}

/**
 * The settings of one path's annotations; undefined if they configure no auth. Each method has one that switches it on, `needs`, and
 * `companions`, which have no effect without it. An empty value counts as absent, so it also overrides a lower prefix. Blanks around a
 * value are dropped, as in ingress-nginx.
 */
export function settingsOfAnnotations(lookup: AnnotationLookup): {
  readonly auth: AuthSettings | undefined;
  readonly companions: readonly {
    readonly setting: Setting;
    readonly needs: string;
    readonly used: boolean;
  }[];
} {
  const read = (name: string): Setting | undefined => {
    const found = lookup.find({ name });
    if (found === undefined || found.value === "") return undefined;
    return { value: found.value.trim(), label: name, field: annotationField(found.key) };
  };
  const methods = methodsBy((method) => fromAnnotations(method, read));
  const clientCertificates = read(CLIENT_CERTIFICATES);
  const [first] = Object.values(methods);
  const place = first?.place ?? clientCertificates;
  const companions = METHODS.flatMap((method) => {
    const [needs = "", ...others] = methodAnnotations(method).map(([, { name }]) => name);
    const used = methods[method.field] !== undefined;
    return others.flatMap((name) => {
      const setting = read(name);
      return setting === undefined ? [] : [{ setting, needs, used }];
    });
  });
  const auth = place && { place, methods, ...(clientCertificates && { clientCertificates }) };
  return { auth, companions };
}

function fromAnnotations(method: AuthMethod, read: (name: string) => Setting | undefined) {
  const settings = methodAnnotations(method).map(
    ([field, { name }]) => [field, read(name)] as const,
  );
  const place = settings[0]?.[1];
  if (place === undefined) return undefined;
  const { properties = {} } = AUTH_METHODS[method.field].schema;
  const written = settings.flatMap(([field, setting]) => {
    if (setting === undefined) return [];
    const isList = own(properties, field)?.type === "array";
    return [[field, isList ? { ...setting, value: setting.value.split(",") } : setting] as const];
  });
  const snippet = method.field === "forward" ? read("auth-snippet")?.value : undefined;
  return {
    ...{ place, bareNames: true, written: Object.fromEntries(written) },
    ...present("snippet", snippet),
  };
}
