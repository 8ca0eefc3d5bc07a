import type { Interpolation } from "../../../../src/model/values.js";
import { parseSignin } from "../../../../src/translate/auth/url.js";
import { type Variables, expand } from "../../../support/expand.js";
import { expectProblem, readVectors, valueOf } from "../../../support/vectors.js";

describe("auth-signin", () => {
  const { cases } = readVectors("signin") as {
    cases: readonly {
      problem?: string;
      signin: string;
      parameter: string;
      segments: Interpolation;
      variables?: Variables;
      location?: string;
    }[];
  };

  it.each(cases)("$signin with parameter $parameter", (entry) => {
    const result = parseSignin(entry.signin, entry.parameter);
    if (entry.problem !== undefined) {
      expectProblem(result, entry.problem);
      return;
    }
    const segments = valueOf(result);
    expect(segments).toEqual(entry.segments);
    if (entry.location !== undefined) {
      expect(expand(segments, entry.variables ?? {})).toBe(entry.location);
    }
  });
});
