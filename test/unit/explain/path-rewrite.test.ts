import type { PathRewrite, Redirect } from "../../../src/model/filters.js";
import { redirectLocation, rewriteTarget } from "../../../src/explain/path-rewrite.js";
import {
  type ExplainRequest,
  parseRequest,
  toWire,
  variablesOf,
} from "../../../src/explain/request.js";
import { readVectors, valueOf } from "../../support/vectors.js";

interface Vector {
  readonly name: string;
  readonly rewrite: PathRewrite;
  readonly target: string;
  readonly path: string;
  /** Null: as received. */
  readonly expected: string | null;
}

const VECTORS = ["path-rewrite", "regex-rewrite"].flatMap(
  (name) => readVectors(name) as readonly Vector[],
);

const VALUES: Readonly<Record<string, string>> = {
  request_method: "GET",
  args: "x=1",
  request_uri: "/a/b%20c?x=1",
};
const wire = (value: unknown): unknown => (typeof value === "string" ? toWire(value) : value);

test.each(VECTORS.map((vector) => [vector.name, vector] as const))(
  "as the data plane: %s",
  (_name, { rewrite, path, target, expected }) => {
    const written = rewrite.map(wire) as unknown as PathRewrite;
    const rewritten = rewriteTarget(written, toWire(path), toWire(target), (name) => VALUES[name]);
    // What JavaScript's expressions can't try is not decided; only patterns can be such.
    if (rewritten === "undecided") expect(rewrite[0]).toBe("regex");
    else expect(rewritten).toEqual(expected === null ? "asSent" : { target: toWire(expected) });
  },
);

interface Located {
  readonly name: string;
  readonly redirect: Redirect;
  readonly request: Pick<ExplainRequest, "scheme" | "host" | "target"> & { readonly path: string };
  readonly expected: string;
}

const LOCATED = (readVectors("redirect-location") as readonly Located[]).filter(
  ({ redirect }) => redirect.url !== undefined,
);

test.each(LOCATED.map((vector) => [vector.name, vector] as const))(
  "as the data plane: %s",
  (_name, { redirect, request, expected }) => {
    const headers = [`Host: ${request.host}`];
    const sent = { method: "GET", url: request.target, headers, client: "192.0.2.1" };
    const parsed = valueOf(parseRequest(sent));
    const url = redirect.url?.map((part) => (typeof part === "string" ? toWire(part) : part));
    const written = { ...redirect, ...(url && { url }) };
    const path = toWire(request.path);
    const query = request.target.split("?")[1] ?? "";
    const location = redirectLocation(written, path, query, variablesOf({ ...parsed, path }));
    // Only patterns can be such.
    if (location === undefined) expect(redirect.captures).toBeDefined();
    else expect(location).toBe(expected);
  },
);

test("a host that a variable can't be, and variables of the connection, are left to the data plane", () => {
  const url = ["https://", ["http_x", "host"], "/"] as const;
  expect(redirectLocation({ status: 302, url }, "/", "", () => "a/b")).toBeUndefined();
  expect(redirectLocation({ status: 302, url }, "/", "", () => undefined)).toBeUndefined();
  expect(redirectLocation({ status: 302, url }, "/", "", () => "b")).toBe("https://b/");
});

test("most patterns are decided", () => {
  const undecided = VECTORS.filter(
    ({ rewrite, path, target }) =>
      rewriteTarget(rewrite, path, target, (name) => VALUES[name]) === "undecided",
  );
  expect(undecided.length).toBeLessThan(3);
});
