import { EchoBackend, echoOf } from "../../../e2e/harness/echo-backend.js";
import { basic } from "../../../e2e/harness/htpasswd.js";
import type { HeaderLines, HttpResponse } from "../../../e2e/harness/http-message.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import { useScene } from "../../../e2e/harness/scene.js";
import { credentialSet } from "../../support/credentials.js";
import { authPolicy, LuaGateway } from "../../support/lua-gateway.js";

const scene = useScene();
let gateway: LuaGateway;

const MISSING = "AuthFail : basic_auth but req no auth header";
const SCHEME = "AuthFail : invalid Authorization scheme, not basic auth.";
const BASE64 = "AuthFail : invalid base64 encoding";
const FORMAT = "AuthFail : invalid format";
const WRONG = "AuthFail : invalid user or passwd";

const base64 = (text: string) => Buffer.from(text, "latin1").toString("base64");

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const guard = (realm: string, file: string) => authPolicy({ basic: { realm, file } });
  const users = guard("", "users");
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      credentials: [
        await credentialSet("users", {
          ann: "open:sesame",
          zoë: "pässwörd",
          blank: "",
          long: "x".repeat(250),
        }),
        await credentialSet("others", { ann: "another", bob: "secret" }),
      ],
      routes: {
        "users.example": { auth: [users] },
        "same.example": { auth: [guard("again", "users")] },
        "others.example": { auth: [guard("others", "others")] },
        "both.example": { auth: [users, guard("others", "others")] },
        "quoted.example": { auth: [guard('the "inner" \\ circle', "users")] },
        "utf8.example": { auth: [guard("café", "users")] },
        "evil.example": { auth: [guard("a\r\nX-Evil: 1\tb\0c", "users")] },
        "lost.example": { auth: [guard("", "no-such-set")] },
        "helped.example": {
          auth: [users],
          requestHeaders: { set: [["Authorization", basic("ann", "open:sesame")]] },
        },
        "later.example": { auth: [{ ...users, id: "later", ...{ badge: {} } }] },
      },
    }),
  );
});

async function ask(host: string, ...authorization: readonly string[]): Promise<HttpResponse> {
  const headers: HeaderLines = authorization.map((value) => ["Authorization", value] as const);
  return gateway.send({ host, headers });
}

describe("credentials that are right", () => {
  it.each([
    ["ann", "open:sesame"],
    ["zoë", "pässwörd"],
    ["blank", ""],
    ["long", "x".repeat(250)],
  ])("of %s let the request pass, the first time and from memory", async (user, password) => {
    for (let i = 0; i < 3; i += 1) {
      const echo = echoOf(await ask("users.example", basic(user, password)));
      expect(echo.all("authorization")).toEqual([]);
    }
  });

  it.each(["basic", "BASIC", "bAsIC"])("may have the scheme written %s", async (scheme) => {
    const response = await ask("users.example", `${scheme} ${base64("ann:open:sesame")}`);
    expect(response.status).toBe(200);
  });

  it("may have several blanks before the token", async () => {
    expect((await ask("users.example", `Basic   ${base64("ann:open:sesame")}`)).status).toBe(200);
  });

  it("count over HTTP/2", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
    const request = { ":path": "/", ":authority": "users.example" };
    const authorization = basic("ann", "open:sesame");
    expect((await client.send(request)).status).toBe(401);
    expect((await client.send({ ...request, authorization })).status).toBe(200);
  });
});

describe("a refusal", () => {
  it.each<[string, string | undefined, string]>([
    ["no header", undefined, MISSING],
    ["an empty header", "", SCHEME],
    ["another scheme", `Bearer ${base64("ann:open:sesame")}`, SCHEME],
    ["a scheme that only begins so", `Basically ${base64("ann:open:sesame")}`, SCHEME],
    ["no blank after the scheme", `Basic${base64("ann:open:sesame")}`, SCHEME],
    ["a tab after the scheme", `Basic\t${base64("ann:open:sesame")}`, SCHEME],
    ["the scheme alone", "Basic", BASE64],
    ["characters outside base64", "Basic !!!!", BASE64],
    ["URL-safe base64", "Basic YW5uOm9wZW4_c2VzYW1l-_8=", BASE64],
    ["no padding", `Basic ${base64("ann:123").replace("==", "")}`, BASE64],
    ["too much padding", `Basic ${base64("ann:open:sesame")}====`, BASE64],
    ["padding inside", "Basic YW5=Om9w", BASE64],
    ["a second token", `Basic ${base64("ann:open:sesame")} x`, BASE64],
    ["a parameter", `Basic ${base64("ann:open:sesame")}, charset="UTF-8"`, BASE64],
    ["no colon", `Basic ${base64("ann")}`, FORMAT],
    ["a NUL in the password", `Basic ${base64("ann:open:sesame\0")}`, FORMAT],
    ["a NUL in the user", `Basic ${base64("ann\0:open:sesame")}`, FORMAT],
    ["a line break in the user", `Basic ${base64("ann\n:open:sesame")}`, FORMAT],
    ["a wrong password", basic("ann", "open"), WRONG],
    ["a password with something after it", basic("ann", "open:sesame "), WRONG],
    ["a password with something before it", basic("ann", " open:sesame"), WRONG],
    ["another user's password", basic("zoë", "open:sesame"), WRONG],
    ["an unknown user", basic("eve", "open:sesame"), WRONG],
    ["other letters", basic("Ann", "open:sesame"), WRONG],
    ["no user", basic("", "open:sesame"), WRONG],
    ["a name that tables have", basic("__index", "x"), WRONG],
    ["a password longer than any", basic("ann", "y".repeat(1025)), WRONG],
    ["a password of half the header", basic("ann", "y".repeat(6000)), WRONG],
  ])("of %s has its reason", async (_, authorization, reason) => {
    const response = await ask(
      "users.example",
      ...(authorization === undefined ? [] : [authorization]),
    );

    expect(response.status).toBe(401);
    expect(response.reason).toBe(reason);
    expect(response.header("www-authenticate")).toBe('Basic realm=""');
    expect(response.text).toContain("401 Authorization Required");
  });

  it("comes for two headers, whichever is right", async () => {
    const [right, wrong] = [basic("ann", "open:sesame"), basic("ann", "no")];
    for (const pair of [
      [right, wrong],
      [wrong, right],
      [right, right],
    ]) {
      expect((await ask("users.example", ...pair)).status).toBe(400);
    }
  });

  it.each([
    ["quoted.example", 'Basic realm="the \\"inner\\" \\\\ circle"'],
    ["utf8.example", `Basic realm="${Buffer.from("café").toString("latin1")}"`],
    ["evil.example", 'Basic realm="a  X-Evil: 1\tb c"'],
  ])("at %s names the realm %s", async (host, challenge) => {
    const response = await ask(host);
    expect(response.header("www-authenticate")).toBe(challenge);
    expect(response.header("x-evil")).toBeUndefined();
  });

  it("never shows in the log what was sent", async () => {
    gateway.newLog();
    await ask("users.example", basic("ann", "hunter2hunter2"));
    expect(gateway.newLog()).toBe("");
  });
});

describe("what a worker remembers", () => {
  it("counts for all routes of the same credentials, and for no others", async () => {
    const authorization = basic("ann", "open:sesame");
    expect((await ask("users.example", authorization)).status).toBe(200);
    expect((await ask("same.example", authorization)).status).toBe(200);
    const response = await ask("others.example", authorization);
    expect([response.status, response.reason]).toEqual([401, WRONG]);
    expect((await ask("others.example", basic("ann", "another"))).status).toBe(200);
    expect((await ask("users.example", basic("ann", "another"))).status).toBe(401);
  });
});

describe("two policies on one route", () => {
  it("must both pass", async () => {
    expect((await ask("both.example", basic("ann", "open:sesame"))).status).toBe(401);
    expect((await ask("both.example", basic("ann", "another"))).status).toBe(401);
  });
});

it("reads the credentials of the client, not those that a header filter sets", async () => {
  expect((await ask("helped.example")).status).toBe(401);
  expect((await ask("helped.example", basic("ann", "open:sesame"))).status).toBe(200);
});

it("closes what a method is for that it does not know", async () => {
  const response = await ask("later.example", basic("ann", "open:sesame"));
  expect(response.status).toBe(503);
  expect(response.reason).toBe("AuthFail : invalid cfg unknown method badge");
});

describe("credentials that are missing", () => {
  it("close the path", async () => {
    const response = await ask("lost.example", basic("ann", "open:sesame"));
    expect(response.status).toBe(503);
    expect(response.reason).toBe("AuthFail : invalid cfg auth-secret");
    expect(response.header("www-authenticate")).toBeUndefined();
  });
});
