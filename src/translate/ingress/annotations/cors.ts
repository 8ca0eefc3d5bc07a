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

/** A list of which no item can be read sends no CORS headers: the defaults would allow more. An empty list is none. */
export function readCors(reader: AnnotationReader): { readonly cors?: Cors } {
  if (reader.get(CORS_ROWS.enable) !== true) return {};
  const { origins, methods, headers, expose } = CORS_ROWS;
  const lists = [origins, methods, headers, expose].map((row) => {
    const list = reader.get(row) ?? [];
    return { list: list.length === 0 ? undefined : list, isLost: reader.isFaulty(row) };
  });
  if (lists.some(({ list, isLost }) => list === undefined && isLost)) return {};
  const [ownOrigins, ownMethods, ownHeaders, ownExpose] = lists.map(({ list }) => list);
  const cors = {
    origins: ownOrigins ?? ["*"],
    methods: ownMethods ?? CORS_METHODS,
    headers: ownHeaders ?? CORS_HEADERS,
    ...filled("expose", ownExpose),
    credentials: reader.get(CORS_ROWS.credentials) ?? true,
    maxAge: reader.get(CORS_ROWS.maxAge) ?? CORS_MAX_AGE,
  };
  return { cors };
}
