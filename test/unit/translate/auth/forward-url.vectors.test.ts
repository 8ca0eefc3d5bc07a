import type { Interpolation } from "../../../../src/model/values.js";
import type { Result } from "../../../../src/support/result.js";
import { parseAuthUrl } from "../../../../src/translate/auth/forward-url.js";
import { parseSignin } from "../../../../src/translate/auth/signin.js";
import { parseTemplate } from "../../../../src/translate/auth/template.js";
import type { Position } from "../../../../src/translate/auth/template.js";
import { readVectors } from "../../../support/vectors.js";
import type { Variables } from "../../../support/expand.js";
import { expand } from "../../../support/expand.js";
import { authRequest } from "../../../support/auth-request.js";

interface Problem {
  readonly problem?: string;
}

/** Fails unless the result is a problem that contains `text`. */
function expectProblem(result: Result<unknown>, text: string): void {
  expect(result).toMatchObject({ ok: false });
  expect(result.ok ? "" : result.problem).toContain(text);
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.problem);
  return result.value;
}

describe("variables", () => {
  const { split, expand: expansions } = readVectors("variables") as {
    split: readonly ({
      text: string;
      position: Position;
      segments: Interpolation;
    } & Problem)[];
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

interface UrlCase extends Problem {
  readonly url: string;
  readonly scheme: string;
  readonly host: Interpolation;
  readonly port?: Interpolation;
  readonly target: Interpolation;
  readonly requests?: readonly UrlRequest[];
}

interface UrlRequest {
  readonly variables: Variables;
  readonly refused?: true;
  readonly host: string;
  readonly port: number;
  readonly target: string;
  readonly authority: string;
}

describe("auth-url", () => {
  const { cases } = readVectors("auth-url") as { cases: readonly UrlCase[] };

  it.each(cases)("takes $url apart", ({ url, scheme, host, port, target, problem }) => {
    const result = parseAuthUrl(url);
    if (problem !== undefined) {
      expectProblem(result, problem);
      return;
    }
    const parsed = valueOf(result).url;
    expect(parsed.scheme).toBe(scheme);
    expect(parsed.host).toEqual(host);
    expect(parsed.port).toEqual(port);
    expect(parsed.target).toEqual(target);
  });

  const requests = cases.flatMap(({ url, requests = [] }) =>
    requests.map((request) => ({ url, ...request })),
  );

  it.each(requests)("makes a request of $url with $variables", (request) => {
    const made = authRequest(valueOf(parseAuthUrl(request.url)).url, request.variables);
    if (request.refused) expect(made).toBeNull();
    else {
      const { host, port, target, authority } = request;
      expect(made).toEqual({ host, port, target, authority });
    }
  });
});

describe("auth-signin", () => {
  const { cases } = readVectors("signin") as {
    cases: readonly (Problem & {
      signin: string;
      parameter: string;
      segments: Interpolation;
      variables?: Variables;
      location?: string;
    })[];
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
