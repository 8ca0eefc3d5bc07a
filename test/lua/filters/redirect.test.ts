import type { Redirect } from "../../../src/model/filters.js";
import type { PolicyServer } from "../../../src/model/policy.js";
import { echoOf } from "../../../e2e/harness/echo-backend.js";
import { readVectors } from "../../support/vectors.js";
import { type FilterServer, startFilterServer } from "./filter-server.js";

interface Vector {
  readonly name: string;
  readonly redirect: Redirect;
  readonly request: {
    readonly scheme: "http" | "https";
    readonly host: string;
    readonly target: string;
    readonly path: string;
  };
  readonly server: Pick<PolicyServer, "port" | "tls">;
  readonly expected: string;
}

let nginx: FilterServer;
beforeAll(async () => {
  nginx = await startFilterServer();
});
afterAll(() => nginx.stop());

describe("vectors of redirect-location", () => {
  it.each(readVectors("redirect-location") as readonly Vector[])("$name", async (vector) => {
    const { redirect, request, server, expected } = vector;
    const response = await nginx.send(
      { route: { redirect }, server, scheme: request.scheme },
      { path: request.target, host: request.host },
    );

    expect(response.status).toBe(redirect.status);
    expect(response.header("location")).toBe(expected);
    expect(response.text).toContain(`<title>${redirect.status} `);
  });
});

describe("redirects", () => {
  const toTls = { status: 308, scheme: "https", unlessScheme: "https" } as const;

  it("are not done for clients that came by the scheme already", async () => {
    const done = await nginx.send({ route: { redirect: toTls }, scheme: "http" }, {});
    const left = await nginx.send({ route: { redirect: toTls }, scheme: "https" }, {});

    expect(done.status).toBe(308);
    expect(echoOf(left).url).toBe("/");
  });

  it("drop the port and the case of the Host header", async () => {
    const response = await nginx.send({ route: { redirect: toTls } }, { host: "A.Example:8080" });

    expect(response.header("location")).toBe("https://a.example/");
  });

  it("escape raw bytes of the request", async () => {
    const response = await nginx.send({ route: { redirect: toTls } }, { path: "/\xe4?\xfc" });

    expect(response.header("location")).toBe("https://localhost/%E4?%FC");
  });

  it("end with 500 when the path's expression backtracks beyond the limit", async () => {
    const redirect: Redirect = { status: 302, path: ["regex", "^/(a+)+$", "", ["/x"], true] };
    const response = await nginx.send({ route: { redirect } }, { path: `/${"a".repeat(40)}!` });

    expect(response.status).toBe(500);
    expect(response.header("location")).toBeUndefined();
  });

  it.each([301, 302, 303, 307, 308] as const)("have status %d", async (status) => {
    const response = await nginx.send({ route: { redirect: { status, url: ["/x"] } } }, {});

    expect(response.status).toBe(status);
    expect(response.header("location")).toBe("/x");
  });

  it("name the server's address when the request has no host", async () => {
    const response = await nginx.sendWithoutHost({ route: { redirect: toTls } }, "/a");

    expect(response.header("location")).toBe("https://127.0.0.1/a");
  });
});
