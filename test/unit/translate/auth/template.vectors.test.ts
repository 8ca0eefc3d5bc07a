import type { Interpolation } from "../../../../src/model/values.js";
import { parseTemplate } from "../../../../src/translate/auth/template.js";
import { type Variables, expand } from "../../../support/expand.js";
import { expectProblem, readVectors, valueOf } from "../../../support/vectors.js";

describe("variables", () => {
  const { split, expand: expansions } = readVectors("variables") as {
    split: readonly {
      text: string;
      position: Parameters<typeof parseTemplate>[1];
      segments: Interpolation;
      problem?: string;
    }[];
    expand: readonly {
      segments: Interpolation;
      variables: Variables;
      result: string | null;
    }[];
  };

  it.each(split)("splits $text in position $position", ({ text, position, segments, problem }) => {
    const result = parseTemplate(text, position);
    if (problem !== undefined) expectProblem(result, problem);
    else expect(valueOf(result)).toEqual(segments);
  });

  it.each(expansions)("expands $segments with $variables", ({ segments, variables, result }) => {
    expect(expand(segments, variables)).toBe(result);
  });
});
