/** How clients keep their endpoints. */
import type { Route, SessionCookie } from "../../../model/route.js";
import type { Interpolation } from "../../../model/values.js";
import { SHARED_SHAPE, present } from "../../../support/json-object.js";
import { ok, problem } from "../../../support/result.js";
import {
  type AnnotationType,
  BOOLEAN,
  COOKIE,
  DNS_NAME,
  INTEGER,
  choiceOf,
  rowsOf,
} from "./annotation.js";
import { parseTemplate } from "../../auth/template.js";
import type { AnnotationReader } from "./annotation-reader.js";

const row = rowsOf("affinity");

const COOKIE_PATH: AnnotationType<string> = {
  description: "path",
  parse: (text) =>
    /^[\w./:,?&=~-]+$/.test(text)
      ? ok(text)
      : problem(`${JSON.stringify(text)} is not the path of a cookie`),
};

/** A longer list of candidates would cost each request much. */
const MOST_SUBSET = 16;

const HASH_KEY: AnnotationType<Interpolation> = {
  description: "text with variables",
  parse: (text) => {
    // The same value, as a text.
    const read = parseTemplate(
      text.replaceAll(/\$(?:binary_remote_addr\b|\{binary_remote_addr\})/g, "${remote_addr}"),
      "text",
    );
    return read.ok ? read : problem(`it ${read.problem}`);
  },
};

const SUBSET_SIZE: AnnotationType<number> = {
  description: `number from 1 to ${String(MOST_SUBSET)}`,
  parse: (text) => {
    const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    return size >= 1 && size <= MOST_SUBSET
      ? ok(size)
      : problem(`${JSON.stringify(text)} is not a number from 1 to ${String(MOST_SUBSET)}`);
  },
};

export const AFFINITY_ROWS = {
  hashBy: row(
    "upstream-hash-by",
    HASH_KEY,
    "The endpoint follows from a hash of this text, so requests with the same value have the same endpoint.",
    { otherwise: "each path has its own; the hash is another one" },
  ),
  subset: row(
    "upstream-hash-by-subset",
    BOOLEAN,
    "`true`: any of several endpoints that follow from the hash.",
  ),
  subsetSize: row(
    "upstream-hash-by-subset-size",
    SUBSET_SIZE,
    "How many these are; 3 by default.",
    { otherwise: "at most 16" },
  ),
  affinity: row("affinity", choiceOf(["cookie"]), "`cookie` keeps a client on one endpoint."),
  mode: row(
    "affinity-mode",
    choiceOf(["balanced", "persistent"]),
    "`persistent`: a client keeps its endpoint as long as that exists. `balanced`, the default: a new endpoint takes over its share of clients.",
  ),
  name: row(
    "session-cookie-name",
    COOKIE,
    "Name of the affinity cookie; INGRESSCOOKIE by default.",
  ),
  path: row("session-cookie-path", COOKIE_PATH, "Its path; that of the Ingress by default."),
  domain: row("session-cookie-domain", DNS_NAME, "Its domain; only the request's host by default."),
  expires: row("session-cookie-expires", INTEGER, "Seconds after which it expires (Expires)."),
  maxAge: row("session-cookie-max-age", INTEGER, "Seconds after which it expires (Max-Age)."),
  sameSite: row(
    "session-cookie-samesite",
    choiceOf(["None", "Lax", "Strict"]),
    "Its SameSite attribute; none by default.",
  ),
  conditional: row(
    "session-cookie-conditional-samesite-none",
    BOOLEAN,
    "`true`: no SameSite=None for browsers that take it for Strict.",
  ),
  secure: row(
    "session-cookie-secure",
    BOOLEAN,
    "`true`: it is always Secure. By default it is for clients of https.",
  ),
  partitioned: row("session-cookie-partitioned", BOOLEAN, "`true`: it is Partitioned."),
  changes: row(
    "session-cookie-change-on-failure",
    BOOLEAN,
    "`true`: a client whose endpoint fails keeps the endpoint that answers instead, as with affinity-mode `persistent`.",
    {
      otherwise:
        "with `false`, the default, another endpoint answers until the client's own is back; there, requests fail",
    },
  ),
};

/** `path`: of the Ingress, literally, as ingress-nginx has it. */
export function readAffinity(
  reader: AnnotationReader,
  path: string,
): Pick<Route, "affinity" | "session" | "sessionCookie" | "hashBy" | "hashSubset"> {
  if (reader.get(AFFINITY_ROWS.affinity) === undefined) return readHash(reader);
  const name = reader.get(AFFINITY_ROWS.name) ?? "INGRESSCOOKIE";
  const moves = reader.get(AFFINITY_ROWS.changes) === true;
  const isKept = moves || reader.get(AFFINITY_ROWS.mode) === "persistent";
  const given = reader.get(AFFINITY_ROWS.path) ?? path;
  const own = given === "" ? "/" : given;
  const sessionCookie = {
    ...(!isKept && own !== "/" && { path: own }),
    ...readAttributes(reader),
  };
  return {
    ...(isKept
      ? { session: { in: "cookie", name, path: own, ...(moves && { moves }) } }
      : { affinity: ["cookie", name] }),
    ...(Object.keys(sessionCookie).length > 0 && { sessionCookie }),
  };
}

function readHash(reader: AnnotationReader): Pick<Route, "hashBy" | "hashSubset"> {
  const hashBy = reader.get(AFFINITY_ROWS.hashBy);
  if (hashBy === undefined) return SHARED_SHAPE;
  const isSubset = reader.get(AFFINITY_ROWS.subset) === true;
  return { hashBy, ...(isSubset && { hashSubset: reader.get(AFFINITY_ROWS.subsetSize) ?? 3 }) };
}

function readAttributes(reader: AnnotationReader): SessionCookie {
  return {
    ...present("domain", reader.get(AFFINITY_ROWS.domain)),
    ...present("maxAge", reader.get(AFFINITY_ROWS.maxAge)),
    ...present("expires", reader.get(AFFINITY_ROWS.expires)),
    ...present("sameSite", reader.get(AFFINITY_ROWS.sameSite)),
    ...(reader.get(AFFINITY_ROWS.conditional) === true && { conditional: true }),
    ...(reader.get(AFFINITY_ROWS.secure) === true && { secure: true }),
    ...(reader.get(AFFINITY_ROWS.partitioned) === true && { partitioned: true }),
  };
}
