import { AuthService } from "../../../e2e/harness/auth-service.js";
import { EchoBackend, echoOf } from "../../../e2e/harness/echo-backend.js";
import { basic } from "../../../e2e/harness/htpasswd.js";
import type { HttpResponse } from "../../../e2e/harness/http-message.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { AuthConfig, ForwardAuth } from "../../../src/model/auth.js";
import { filled } from "../../../src/support/json-object.js";
import { credentialSet } from "../../support/credentials.js";
import { forwardAuth } from "../../support/forward-auth.js";
import { authPolicy, LuaGateway, type TestRoute } from "../../support/lua-gateway.js";

const scene = useScene();
let gateway: LuaGateway;
let auth: AuthService;

const INSIDE = "127.0.0.5";
const OUTSIDE = "127.0.0.6";
const ANN = [["Authorization", basic("ann", "secret")]] as const;
const RANGES = { allow: [`${INSIDE}/32`, "10.0.0.0/8"] };
const SOURCE_REFUSED = "AccessFail : client address not allowed";

function forward(path: string, parts: Partial<ForwardAuth> = {}): ForwardAuth {
  return forwardAuth(auth.port, path, parts);
}

function routes(): Record<string, TestRoute> {
  const users = authPolicy({ basic: { realm: "r", file: "users" } });
  const asked = authPolicy({ forward: forward("/one", { responseHeaders: ["x-user"] }) });
  const both = authPolicy({
    basic: { realm: "r", file: "users" },
    forward: forward("/both", { responseHeaders: ["authorization"] }),
  });
  const signin = authPolicy({
    forward: forward("/one", { signin: ["https://login.example/"] }),
  });
  const ranged = (deny: readonly string[], allow: readonly string[] = []): TestRoute => ({
    ...filled("allow", allow),
    ...filled("deny", deny),
  });
  const invalid: AuthConfig = authPolicy({ invalid: "auth-secret default/x" });
  return {
    "open.example": { auth: [authPolicy({})] },
    "allow.example": { ...RANGES },
    "deny.example": ranged([OUTSIDE]),
    "both-lists.example": ranged(["127.0.0.6/32"], ["127.0.0.0/29"]),
    "odd.example": ranged([], ["127.0.0.4/30", "2001:db8::/33"]),
    "everyone.example": ranged([], ["0.0.0.0/0"]),
    "six.example": ranged([], ["::/0"]),
    "all.example": { ...RANGES, auth: [users] },
    "any.example": { ...RANGES, auth: [users], satisfy: "any" },
    "any-both.example": { ...RANGES, auth: [users, asked], satisfy: "any" },
    "any-signin.example": { ...RANGES, auth: [users, signin], satisfy: "any" },
    "any-alone.example": { auth: [users], satisfy: "any" },
    "both.example": { auth: [both] },
    "any-of-both.example": { auth: [both], satisfy: "any" },
    "users.example": { auth: [users] },
    "two.example": { auth: [asked, users] },
    "invalid.example": { auth: [users, invalid] },
    "invalid-any.example": { ...RANGES, auth: [invalid], satisfy: "any" },
    "bad-variable.example": {
      auth: [
        authPolicy({
          forward: forward("/", { signin: [["nosuch", "raw"]] }),
        }),
      ],
    },
  };
}

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      credentials: [await credentialSet("users", { ann: "secret" })],
      routes: routes(),
    }),
  );
});
beforeEach(() => {
  auth.requests.length = 0;
  auth.answer("/one", { status: 200 });
  auth.answer("/both", { status: 200 });
});

const outcome = ({ status, reason }: HttpResponse) => [status, reason];

describe("source ranges", () => {
  it.each([
    ["allow.example", INSIDE, 200],
    ["allow.example", OUTSIDE, 403],
    ["allow.example", "127.0.0.1", 403],
    ["deny.example", INSIDE, 200],
    ["deny.example", OUTSIDE, 403],
    ["both-lists.example", INSIDE, 200],
    ["both-lists.example", OUTSIDE, 403],
    ["both-lists.example", "127.0.0.9", 403],
    ["odd.example", "127.0.0.4", 200],
    ["odd.example", "127.0.0.7", 200],
    ["odd.example", "127.0.0.3", 403],
    ["odd.example", "127.0.0.8", 403],
    ["everyone.example", "127.9.9.9", 200],
    ["six.example", INSIDE, 403],
  ])("%s from %s: %s", async (host, from, status) => {
    const response = await gateway.send({ host, from });
    expect(outcome(response)).toEqual([status, status === 200 ? undefined : SOURCE_REFUSED]);
  });
});

describe("satisfy", () => {
  it.each([
    ["all", INSIDE, true, 200],
    ["all", INSIDE, false, 401],
    ["all", OUTSIDE, true, 403],
    ["all", OUTSIDE, false, 403],
    ["any", INSIDE, true, 200],
    ["any", INSIDE, false, 200],
    ["any", OUTSIDE, true, 200],
    ["any", OUTSIDE, false, 401],
    ["any-alone", OUTSIDE, true, 200],
    ["any-alone", OUTSIDE, false, 401],
  ])("%s, from %s, with credentials %s: %s", async (mode, from, credentials, status) => {
    const headers = credentials ? ANN : [];
    const response = await gateway.send({ host: `${mode}.example`, from, headers });

    expect(response.status).toBe(status);
    expect(response.all("www-authenticate")).toEqual(status === 401 ? ['Basic realm="r"'] : []);
  });

  it("any takes the first success and asks no further", async () => {
    const host = "any-both.example";
    expect((await gateway.send({ host, from: INSIDE })).status).toBe(200);
    expect((await gateway.send({ host, from: OUTSIDE, headers: ANN })).status).toBe(200);
    expect(auth.requests).toHaveLength(0);
    expect((await gateway.send({ host, from: OUTSIDE })).status).toBe(200);
    expect(auth.requests).toHaveLength(1);
  });

  it("any answers 401 with all challenges rather than 403", async () => {
    auth.answer("/one", { status: 403 });
    const forbidden = await gateway.send({ host: "any-both.example", from: OUTSIDE });
    expect(outcome(forbidden)).toEqual([401, "AuthFail : basic_auth but req no auth header"]);

    auth.answer("/one", { status: 401, headers: [["WWW-Authenticate", "Bearer"]] });
    const refused = await gateway.send({ host: "any-both.example", from: OUTSIDE });
    expect(refused.status).toBe(401);
    expect(refused.all("www-authenticate")).toEqual(['Basic realm="r"', "Bearer"]);
    // What was added for one request stays out of the next.
    const again = await gateway.send({ host: "any-alone.example", from: OUTSIDE });
    expect(again.all("www-authenticate")).toEqual(['Basic realm="r"']);
  });

  it("any sends to the sign-in page when nothing else lets pass", async () => {
    auth.answer("/one", { status: 401 });
    const response = await gateway.send({ host: "any-signin.example", from: OUTSIDE });
    expect([response.status, response.header("location")]).toEqual([302, "https://login.example/"]);
  });

  it("any ends with the auth service's failure", async () => {
    auth.answer("/one", { status: 502 });
    const response = await gateway.send({ host: "any-both.example", from: OUTSIDE });
    expect(outcome(response)).toEqual([500, "AuthFail : auth-service-status: 502"]);
  });

  it("any lets nobody bring the credentials or headers that checks are to set", async () => {
    const headers = [...ANN, ["X-User", "root"], ["X_User", "root"]] as const;
    for (const from of [INSIDE, OUTSIDE]) {
      const echo = echoOf(await gateway.send({ host: "any-both.example", from, headers }));
      expect(echo.all("authorization")).toEqual([]);
      expect(echo.all("x-user")).toEqual([]);
      expect(echo.all("x_user")).toEqual([]);
    }
  });
});

describe("basic and forward auth", () => {
  it("must both pass, basic first, and the auth service sees the credentials", async () => {
    expect((await gateway.send({ host: "both.example" })).status).toBe(401);
    expect(auth.requests).toHaveLength(0);

    auth.answer("/both", { status: 200, headers: [["Authorization", "Bearer minted"]] });
    const echo = echoOf(await gateway.send({ host: "both.example", headers: ANN }));
    expect(auth.take("/both").header("authorization")).toBe(basic("ann", "secret"));
    expect(echo.all("authorization")).toEqual(["Bearer minted"]);
  });

  it("of two policies must both pass, in order", async () => {
    auth.answer("/one", { status: 403 });
    expect((await gateway.send({ host: "two.example" })).status).toBe(403);
    auth.answer("/one", { status: 200, headers: [["X-User", "ann"]] });
    expect((await gateway.send({ host: "two.example" })).status).toBe(401);
    const echo = echoOf(await gateway.send({ host: "two.example", headers: ANN }));
    expect(echo.all("x-user")).toEqual(["ann"]);
  });
});

describe("a policy", () => {
  // Routes with nothing but one policy share what is made from it.
  it.each([
    ["both", "any-of-both"],
    ["any-of-both", "both"],
    ["users", "all"],
    ["all", "users"],
  ])("of %s means for %s what that route says", async (first, second) => {
    const expected: Record<string, unknown> = {
      // The auth service refuses everyone.
      both: [401, 401, 401],
      "any-of-both": [200, 401, 200],
      users: [200, 401, 200],
      all: [200, 401, 403],
    };
    auth.answer("/both", { status: 401 });
    for (const name of [first, second, first]) {
      const host = `${name}.example`;
      const seen = [
        (await gateway.send({ host, from: INSIDE, headers: ANN })).status,
        (await gateway.send({ host, from: INSIDE })).status,
        (await gateway.send({ host, from: OUTSIDE, headers: ANN })).status,
      ];
      expect(seen).toEqual(expected[name]);
    }
  });

  it("without anything to check lets everyone pass, credentials and all", async () => {
    const echo = echoOf(await gateway.send({ host: "open.example", headers: ANN }));
    expect(echo.all("authorization")).toEqual([basic("ann", "secret")]);
  });

  it.each([
    ["invalid.example", "AuthFail : invalid cfg auth-secret default/x"],
    ["invalid-any.example", "AuthFail : invalid cfg auth-secret default/x"],
    ["bad-variable.example", "AuthFail : invalid cfg variable nosuch as raw"],
  ])("that is broken closes %s to everyone", async (host, reason) => {
    for (const from of [INSIDE, OUTSIDE]) {
      expect(outcome(await gateway.send({ host, from, headers: ANN }))).toEqual([503, reason]);
    }
  });
});
