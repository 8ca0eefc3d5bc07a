import { send } from "../../e2e/harness/http-client.js";
import type { HeaderLines } from "../../e2e/harness/http-message.js";
import { startLuaNginx, type LuaNginx } from "../support/lua-nginx.js";
import { readVectors } from "../support/vectors.js";

type Segments = readonly (string | readonly [string, string])[];

interface Vectors {
  readonly expand: readonly {
    readonly segments: Segments;
    readonly variables: Readonly<Record<string, string>>;
    readonly result: string | null;
  }[];
}

interface SigninVectors {
  readonly cases: readonly {
    readonly segments?: Segments;
    readonly location?: string;
    readonly variables?: Readonly<Record<string, string>>;
  }[];
}

const { expand: vectors } = readVectors("variables") as Vectors;
const signin = (readVectors("signin") as SigninVectors).cases.filter(
  ({ location }) => location !== undefined,
);

let nginx: LuaNginx;

beforeAll(async () => {
  nginx = await startLuaNginx({
    http: `
      map "" $albc_scheme { default https; }
      map "" $albc_xff { default "192.0.2.1, 127.0.0.1"; }
      map "" $albc_request_id { default the-id; }
    `,
    server: `
      server_name first.example;
      location / { content_by_lua_block { require("interpolation_case").serve() } }
    `,
  });
});
afterAll(() => nginx.stop());

const bytes = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Buffer.from(text)]));

async function expand(segments: Segments, values: Readonly<Record<string, string>>) {
  const [text] = await nginx.call("interpolation_case", "expand", segments, bytes(values));
  return text;
}

describe("the shared table", () => {
  it.each(vectors)("$segments with $variables is $result", async (vector) => {
    expect(await expand(vector.segments, vector.variables)).toBe(vector.result);
  });

  it.each(signin)("sign-in $location", async ({ segments = [], variables = {}, location }) => {
    expect(await expand(segments, variables)).toBe(location);
  });
});

it.each(["raw", "component", "path", "host"])(
  "a line break never goes in as %s",
  async (encoding) => {
    for (const text of ["a\r\nX: b", "a\nb", "a\rb", "a\0b"]) {
      const result = await expand([["http_x", encoding]], { http_x: text });
      if (result !== null) expect(result).toMatch(/^[!-~]+$/);
      else expect(["raw", "host"]).toContain(encoding);
    }
  },
);

it.each([
  [["nosuch", "raw"]],
  [["albc_reason", "raw"]],
  [["http_", "raw"]],
  [["hostname", "raw"]],
  [["document_root", "raw"]],
  [["host", "sideways"]],
] as const)("%j is refused when it is prepared", async (segment) => {
  const [text, err] = await nginx.call("interpolation_case", "expand", [segment], {});

  expect(text).toBeNull();
  expect(err).toContain(segment[0]);
});

describe("in a request", () => {
  async function served(
    segments: Segments,
    {
      path = "/",
      as = "text",
      headers = [],
    }: { path?: string; as?: string; headers?: HeaderLines } = {},
  ): Promise<unknown> {
    const response = await send(
      { port: nginx.port },
      {
        method: "POST",
        path: `${path}${path.includes("?") ? "&" : "?"}as=${as}`,
        host: "First.example:8080",
        headers,
        body: JSON.stringify(segments),
      },
    );
    return (response.json() as unknown[])[0];
  }

  it.each([
    ["host", "first.example"],
    ["http_host", "First.example:8080"],
    ["scheme", "http"],
    ["pass_access_scheme", "https"],
    ["request_uri", "/a%20b//c?q=%2F&as=text"],
    ["escaped_request_uri", "%2Fa%2520b%2F%2Fc%3Fq%3D%252F%26as%3Dtext"],
    ["uri", "/a b/c"],
    ["args", "q=%2F&as=text"],
    ["query_string", "q=%2F&as=text"],
    ["is_args", "?"],
    ["request_method", "POST"],
    ["remote_addr", "127.0.0.1"],
    ["remote_user", "ann"],
    ["server_addr", "127.0.0.1"],
    ["server_name", "first.example"],
    ["server_protocol", "HTTP/1.1"],
    ["request_id", "the-id"],
    ["proxy_add_x_forwarded_for", "192.0.2.1, 127.0.0.1"],
    ["http_x_one", "1, 2"],
    ["http_absent", ""],
    ["arg_q", "%2F"],
    ["arg_absent", ""],
    ["cookie_c", "v"],
    ["ssl_client_s_dn", ""],
    ["ssl_client_verify", ""],
  ])("$%s is %j", async (name, value) => {
    const headers = [
      ["X-One", "1"],
      ["X-One", "2"],
      ["Cookie", "a=b; c=v"],
      ["Authorization", `Basic ${Buffer.from("ann:secret").toString("base64")}`],
    ] as const;

    expect(await served([[name, "raw"]], { path: "/a%20b//c?q=%2F", headers })).toBe(value);
  });

  it.each([
    ["remote_port", /^\d+$/],
    ["server_port", /^\d+$/],
    ["msec", /^\d+\.\d{3}$/],
    ["time_iso8601", /^\d{4}-\d\d-\d\dT/],
  ])("$%s has its form", async (name, form) => {
    expect(await served([[name, "raw"]])).toMatch(form);
  });

  it("puts the decoded $uri into a URL as a path is written", async () => {
    const path = "/a%20b%3Fc%23d%25e%0D%0Af/%C3%A9";

    expect(await served(["/x", ["uri", "raw"], "?y"], { path, as: "url" })).toBe(
      "/x/a%20b%3Fc%23d%25e%0D%0Af/%C3%A9?y",
    );
  });
});
