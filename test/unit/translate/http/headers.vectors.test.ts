import {
  requestHeaderProblem,
  responseHeaderProblem,
} from "../../../../src/translate/http/headers.js";
import { readVectors } from "../../../support/vectors.js";

interface Vector {
  readonly name: string;
  /** Whether a setting may give it to backends, or to clients. */
  readonly request: boolean;
  readonly response: boolean;
}

describe("vectors of special-headers", () => {
  test.each(readVectors("special-headers") as readonly Vector[])("$name", (vector) => {
    const { name } = vector;
    expect({
      name,
      request: requestHeaderProblem("set", name, "5") === undefined,
      response: responseHeaderProblem("set", name, "5") === undefined,
    }).toEqual(vector);
  });
});
