import { fc } from "../support/fast-check.js";
import { AUTH_METHODS } from "../../src/api/auth.js";
import type { JsonSchema } from "../../src/api/schemas/schema.js";
import type { Interpolation } from "../../src/model/values.js";
import { parseAuthReference } from "../../src/translate/auth/settings.js";
import { parseAuthUrl, parseSignin } from "../../src/translate/auth/url.js";
import { readAuthFile, readAuthMap } from "../../src/translate/auth/basic-auth.js";
import { literalText, parseTemplate } from "../../src/translate/auth/template.js";
import { authRequest } from "../support/auth-request.js";
import { expand } from "../support/expand.js";
import { compat, configMap, harness, own, secret } from "../support/auth-translator.js";

/** Text as users may write it, rich in what has a meaning somewhere. */
const PIECES = [
  ..."$ ${ } / // : @ ? & = # % . .. [ ] [::1] -  \" ' ; { \\ | , ~ é \u0000 \r\n \n \t".split(" "),
  ..."$host ${host} $http_host $request_uri ${uri} $arg_x $http_x $nope ${host $escaped_request_uri".split(
    " ",
  ),
  ..."http:// https:// a auth.example 8080 :80 rd= rd=x 127.0.0.1 %20 %zz $apr1$ user:pw@".split(
    " ",
  ),
];
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc
    .array(fc.constantFrom(...PIECES), { maxLength: 8 })
    .map((pieces) => `http://auth${pieces.join("")}`),
);
const position = fc.constantFrom("url" as const, "host" as const, "text" as const);

/** What clients may make of the variables; the request URI is always a path. */
const variables = fc
  .record({ free: fc.string({ unit: "binary" }), wire: fc.webQueryParameters() })
  .map(({ free, wire }) => ({
    host: free,
    http_host: free,
    http_x: free,
    arg_x: wire,
    request_uri: `/${wire}`,
    uri: `/${wire}`,
    escaped_request_uri: encodeURIComponent(`/${wire}`),
  }));

function written(interpolation: Interpolation): string {
  return interpolation
    .map((segment) => (typeof segment === "string" ? segment : `\${${segment[0]}}`))
    .join("");
}

describe("any text with variables", () => {
  it("is split so that writing it out and splitting again changes nothing", () => {
    fc.assert(
      fc.property(text, position, (value, at) => {
        const first = parseTemplate(value, at);
        if (!first.ok) return;
        expect(parseTemplate(written(first.value), at)).toEqual(first);
      }),
    );
  });

  it("gives literals that are the text without its variables", () => {
    fc.assert(
      fc.property(text, (value) => {
        const split = parseTemplate(value, "text");
        const bare = value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => `$${name}`);
        if (!split.ok || bare !== value) return;
        const joined = split.value.map((part) => (typeof part === "string" ? part : `$${part[0]}`));
        expect(joined.join("")).toBe(value);
      }),
    );
  });
});

describe("any URL of an auth service", () => {
  it("sends every request to the host that is written, or refuses it", () => {
    fc.assert(
      fc.property(text, variables, (value, values) => {
        const parsed = parseAuthUrl(value);
        const request = parsed.ok ? authRequest(parsed.value.url, values) : null;
        if (!parsed.ok || request === null) return;
        const { scheme, host } = parsed.value.url;
        expect(request.target).toMatch(/^\//);
        expect(request.target).not.toMatch(/[\s#]/);
        const url = new URL(`${scheme}://${request.authority}${request.target}`);
        expect(url.username + url.password + url.hash).toBe("");
        const written = literalText(host);
        if (written !== undefined) expect(request.host).toBe(written);
      }),
      { numRuns: 500 },
    );
  });

  it("keeps a component in its place whatever the client sends", () => {
    fc.assert(
      fc.property(variables, (values) => {
        const parsed = parseAuthUrl("http://auth:81/a/$http_x/b?c=$http_x&d=e");
        const request = parsed.ok ? authRequest(parsed.value.url, values) : null;
        const { pathname, searchParams } = new URL(`http://auth:81${request?.target ?? ""}`);
        // A lone dot segment is still one; the parser that the test uses removes it.
        if (!/^\.{1,2}$/.test(values.http_x)) expect(pathname.split("/")).toHaveLength(4);
        expect([...searchParams.keys()]).toEqual(["c", "d"]);
      }),
    );
  });
});

describe("any sign-in URL", () => {
  it("leads to the origin that is written", () => {
    fc.assert(
      fc.property(text, variables, (value, values) => {
        const parsed = parseSignin(`https://login.example:8443/${value}`, "rd");
        if (!parsed.ok) return;
        const location = expand(parsed.value, { ...values, pass_access_scheme: "https" });
        if (location === null) return;
        expect(new URL(location).origin).toBe("https://login.example:8443");
      }),
    );
  });

  it("has a value for the redirect parameter", () => {
    fc.assert(
      fc.property(text, (value) => {
        const parsed = parseSignin(`https://login.example/${value}`, "rd");
        if (!parsed.ok) return;
        const query = /\?([^#]*)/.exec(written(parsed.value))?.[1] ?? "";
        const decoded = query.split("&").map((pair) => pair.replace("%72", "r"));
        expect(decoded.some((pair) => /^rd=./.test(pair))).toBe(true);
      }),
    );
  });
});

describe("any secret", () => {
  it("is read without throwing, and no report shows a hash", () => {
    const hash = "$apr1$lZL6V/ci$PR6QJXkRFUzdUuaYcwrI//";
    const line = fc.oneof(text, fc.constantFrom(hash, `bob:${hash}`, `${hash}:bob`, `:${hash}`));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const find = ({ message }: { readonly message: string }): void => {
          expect(message).not.toContain("PR6QJXkRFUzdUuaYcwrI");
        };
        const file = readAuthFile(lines.join("\n"), find);
        const map = readAuthMap(new Map(lines.map((value, i) => [`user${i}`, value])), find);
        const users = [file, map].flatMap((read) => Object.entries(read));
        for (const [user, [salt, digest]] of users) {
          expect(user).not.toBe("");
          expect(salt).toMatch(/^[^$]{1,8}$/);
          expect(digest).toMatch(/^[./0-9A-Za-z]{22}$/);
        }
      }),
    );
  });
});

const NAMES = [
  "auth-url",
  "auth-method",
  "auth-signin",
  "auth-signin-redirect-param",
  "auth-response-headers",
  "auth-proxy-set-headers",
  "auth-request-redirect",
  "auth-always-set-cookie",
  "auth-realm",
  "auth-secret",
  "auth-secret-type",
  "auth-type",
  "auth-tls-secret",
  "auth-enable",
];
const FINE = new Map([
  ["auth-url", "http://auth/"],
  ["auth-type", "basic"],
  ["auth-secret", "default/users"],
  ["auth-proxy-set-headers", "default/headers"],
]);
const settings = fc
  .dictionary(fc.constantFrom(...NAMES), text)
  .chain((broken) =>
    fc.subarray([...FINE]).map((fine) => ({ ...broken, ...Object.fromEntries(fine) })),
  );

describe("any annotations", () => {
  const { annotated, policy } = harness(
    secret("default/users", { auth: "foo:$apr1$lZL6V/ci$PR6QJXkRFUzdUuaYcwrI//" }) +
      configMap("default/headers", { "X-A": "$host" }),
  );

  it("give a policy, disable or inherit; what closes a path fits in a header", () => {
    fc.assert(
      fc.property(settings, fc.boolean(), (values, compatible) => {
        const auth = annotated(compatible ? compat(values) : own(values));
        if (auth === undefined) {
          const switches = ["auth-url", "auth-type", "auth-tls-secret"];
          expect(switches.every((name) => (values[name] ?? "") === "")).toBe(true);
        } else if (auth.length === 0) {
          expect([compatible, values["auth-enable"]]).toEqual([false, "false"]);
        } else {
          const { invalid, basic, forward } = policy(auth[0]);
          if (invalid === undefined) expect(basic ?? forward).toBeDefined();
          else expect(invalid).toMatch(/^[ -~]{1,400}$/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("of a megabyte are dealt with", () => {
    for (const character of ["a", "$", "%", ","]) {
      const huge = character.repeat(1_000_000 / character.length);
      for (const name of NAMES) annotated(compat({ ...Object.fromEntries(FINE), [name]: huge }));
    }
  });
});

/** As an API server reads it (RE2). */
function admits(field: JsonSchema | undefined, value: string): boolean {
  return new RegExp(field?.admission?.pattern ?? "no pattern", "u").test(value);
}

describe("an API server admits", () => {
  const { url, auth_headers_cm_ref: reference } = AUTH_METHODS.forward.schema.properties ?? {};

  it("every URL that auth services can be asked by", () => {
    fc.assert(
      fc.property(text, (value) => {
        fc.pre(parseAuthUrl(value).ok);
        expect(admits(url, value)).toBe(true);
      }),
    );
  });

  it("every name of an object that can be referred to", () => {
    const part = fc.string({
      unit: fc.constantFrom("a", "0", "-", ".", " ", "/", "_", "A"),
      maxLength: 5,
    });
    fc.assert(
      fc.property(part, part, (namespace, name) => {
        const value = `${namespace}/${name}`;
        expect(admits(reference, value)).toBe(parseAuthReference(value).ok);
      }),
    );
  });
});
