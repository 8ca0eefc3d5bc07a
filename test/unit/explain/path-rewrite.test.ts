import type { PathRewrite } from "../../../src/model/filters.js";
import { rewriteTarget } from "../../../src/explain/path-rewrite.js";
import { toWire } from "../../../src/explain/request.js";
import { readVectors } from "../../support/vectors.js";

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

const wire = (value: unknown): unknown => (typeof value === "string" ? toWire(value) : value);

test.each(VECTORS.map((vector) => [vector.name, vector] as const))(
  "as the data plane: %s",
  (_name, { rewrite, path, target, expected }) => {
    const written = rewrite.map(wire) as unknown as PathRewrite;
    const rewritten = rewriteTarget(written, toWire(path), toWire(target));
    // What JavaScript's expressions can't try is not decided; only patterns can be such.
    if (rewritten === "undecided") expect(rewrite[0]).toBe("regex");
    else expect(rewritten).toEqual(expected === null ? "asSent" : { target: toWire(expected) });
  },
);

test("most patterns are decided", () => {
  const undecided = VECTORS.filter(
    ({ rewrite, path, target }) => rewriteTarget(rewrite, path, target) === "undecided",
  );
  expect(undecided.length).toBeLessThan(3);
});
