import type { Cors } from "../../../src/model/filters.js";
import { readVectors } from "../../support/vectors.js";
import { type FilterServer, startFilterServer } from "./filter-server.js";

interface Table {
  readonly policies: Readonly<Record<string, Cors>>;
  readonly cases: readonly {
    readonly name: string;
    readonly policy: string;
    readonly method: string;
    readonly request: Readonly<Record<string, string>>;
    readonly backend: {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
    };
    readonly answer: "gateway" | "backend";
    readonly status: number;
    /** By name in lower case; null: the header is not there. */
    readonly expected: Readonly<Record<string, string | null>>;
  }[];
}

const { policies, cases } = readVectors("cors") as Table;

let nginx: FilterServer;
beforeAll(async () => {
  nginx = await startFilterServer();
});
afterAll(() => nginx.stop());

describe("vectors of cors", () => {
  it.each(cases)(
    "$name",
    async ({ policy, method, request, backend, answer, status, expected }) => {
      const cors = policies[policy];
      if (cors === undefined) throw new Error(`no policy ${policy}`);
      const response = await nginx.send(
        {
          route: { cors },
          answer: { status: backend.status, headers: Object.entries(backend.headers) },
        },
        { method, headers: Object.entries(request) },
      );

      expect(response.status).toBe(status);
      expect(response.header("x-echo") === undefined ? "gateway" : "backend").toBe(answer);
      const headers = Object.keys(expected).map((name) => [name, response.header(name) ?? null]);
      expect(Object.fromEntries(headers)).toEqual(expected);
    },
  );
});
