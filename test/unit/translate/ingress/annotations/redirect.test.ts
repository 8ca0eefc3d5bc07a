import { NO_GROUPS } from "../../../../../src/translate/pattern/regex.js";
import { readRedirect } from "../../../../../src/translate/ingress/annotations/redirect.js";
import { readerOf } from "../../../../support/annotation-reader.js";
import { nginx, own } from "../../../../support/translated.js";

type At = Parameters<typeof readRedirect>[1];

const PLAIN: At = {
  ...{ path: "/", groups: NO_GROUPS, hasTls: false, httpsPort: 443, inherited: undefined },
};
const TO_HTTPS = { status: 308, unlessScheme: "https", scheme: "https" };

function redirect(annotations: Readonly<Record<string, string>>, at: Partial<At> = {}) {
  return readRedirect(readerOf(annotations), { ...PLAIN, ...at }).redirect;
}

describe("to https", () => {
  const TLS = { hasTls: true };

  it.each<[string, Record<string, string>, Partial<At>, object | undefined]>([
    ["where the host has TLS", {}, TLS, TO_HTTPS],
    ["not where it has none", {}, {}, undefined],
    ["not without an HTTPS port", {}, { ...TLS, httpsPort: undefined }, undefined],
    ["with its port", {}, { ...TLS, httpsPort: 8443 }, { ...TO_HTTPS, port: 8443 }],
    ["not when switched off", nginx({ "ssl-redirect": "false" }), TLS, undefined],
    ["not when switched off for the path", own({ "ssl-redirect": "false" }, "0-0"), TLS, undefined],
    ["when forced", nginx({ "force-ssl-redirect": "true" }), {}, TO_HTTPS],
    [
      "not for a challenge of a certificate authority",
      {},
      { ...TLS, path: "/.well-known/acme-challenge/token" },
      undefined,
    ],
    [
      "not even when forced",
      nginx({ "force-ssl-redirect": "true" }),
      { ...TLS, path: "/.well-known/acme-challenge/" },
      undefined,
    ],
  ])("%s", (_, annotations, at, expected) => {
    expect(redirect(annotations, at)).toEqual(expected);
  });
});

it.each([
  [
    nginx({ "permanent-redirect": "https://b.example/x" }),
    { status: 301, url: ["https://b.example/x"] },
  ],
  [
    nginx({ "permanent-redirect": "https://b.example/", "permanent-redirect-code": "308" }),
    { status: 308, url: ["https://b.example/"] },
  ],
  [
    nginx({ "permanent-redirect": "https://b.example/", "temporal-redirect": "http://c.example/" }),
    { status: 302, url: ["http://c.example/"] },
  ],
  [
    nginx({ "temporal-redirect": "http://c.example/", "temporal-redirect-code": "307" }),
    { status: 307, url: ["http://c.example/"] },
  ],
  [own({ "redirect-host": "B.example" }), { status: 302, host: "b.example" }],
  [
    own({ "redirect-host": "b.example", "redirect-port": "8443", "redirect-code": "301" }),
    { status: 301, host: "b.example", port: 8443 },
  ],
  [
    own({ "redirect-prefix-match": "/app/", "redirect-replace-prefix": "/new" }),
    { status: 302, path: ["prefix", "/app", "/new"] },
  ],
  [
    { ...own({ "redirect-host": "b.example" }), ...nginx({ "force-ssl-redirect": "true" }) },
    { status: 302, scheme: "https", host: "b.example" },
  ],
])("%j", (annotations, expected) => {
  expect(redirect(annotations)).toEqual(expected);
});

it("that a port has comes after annotations and before the one to https", () => {
  const inherited = { status: 301, unlessScheme: "http", scheme: "http" } as const;
  expect(redirect({}, { hasTls: true, inherited })).toEqual(inherited);
  expect(redirect(own({ "redirect-port": "81" }), { inherited })).toMatchObject({ port: 81 });
});

it("is not read where another one wins, so a wrong value of it closes nothing", () => {
  const reader = readerOf(
    nginx({ "temporal-redirect": "http://c.example/", "permanent-redirect": "nonsense" }),
  );
  readRedirect(reader, PLAIN);
  expect(reader.closers).toEqual([]);
});
