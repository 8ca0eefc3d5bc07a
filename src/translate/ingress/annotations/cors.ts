/** Cross-origin resource sharing. */
import type { Cors } from "../../../model/filters.js";
import { filled } from "../../../support/json-object.js";
import { CORS_HEADERS, CORS_MAX_AGE, CORS_METHODS } from "../../http/headers.js";
import { BOOLEAN, HEADER_NAMES, METHOD_LIST, NATURAL, ORIGINS, rowsOf } from "./annotation.js";
import type { AnnotationReader } from "./annotation-reader.js";

const row = rowsOf("cors");

export const CORS_ROWS = {
  enable: row(
    "enable-cors",
    BOOLEAN,
    "Answers preflight requests and adds the CORS headers to responses.",
  ),
  origins: row(
    "cors-allow-origin",
    ORIGINS,
    "Allowed origins; a leading `*.` in the host stands for one label. Every origin by default.",
  ),
  methods: row(
    "cors-allow-methods",
    METHOD_LIST,
    "Allowed methods; GET, PUT, POST, DELETE, PATCH, OPTIONS by default.",
  ),
  headers: row("cors-allow-headers", HEADER_NAMES, "Allowed request headers."),
  expose: row("cors-expose-headers", HEADER_NAMES, "Response headers that scripts may read."),
  credentials: row(
    "cors-allow-credentials",
    BOOLEAN,
    "Whether cookies may be sent; true by default, but never if every origin is allowed.",
  ),
  maxAge: row(
    "cors-max-age",
    NATURAL,
    "Seconds for which clients may cache a preflight response; 1728000 by default.",
  ),
};

export function readCors(reader: AnnotationReader): { readonly cors?: Cors } {
  if (reader.get(CORS_ROWS.enable) !== true) return {};
  const cors = {
    origins: nonEmpty(reader.get(CORS_ROWS.origins)) ?? ["*"],
    methods: nonEmpty(reader.get(CORS_ROWS.methods)) ?? CORS_METHODS,
    headers: nonEmpty(reader.get(CORS_ROWS.headers)) ?? CORS_HEADERS,
    ...filled("expose", reader.get(CORS_ROWS.expose)),
    credentials: reader.get(CORS_ROWS.credentials) ?? true,
    maxAge: reader.get(CORS_ROWS.maxAge) ?? CORS_MAX_AGE,
  };
  return { cors };
}

function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  return list?.length === 0 ? undefined : list;
}
