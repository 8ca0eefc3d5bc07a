import type { Interpolation } from "../../../../src/model/values.js";
import { parseAuthUrl } from "../../../../src/translate/auth/url.js";
import { authRequest } from "../../../support/auth-request.js";
import type { Variables } from "../../../support/expand.js";
import { expectProblem, readVectors, valueOf } from "../../../support/vectors.js";

interface UrlCase {
  readonly problem?: string;
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
