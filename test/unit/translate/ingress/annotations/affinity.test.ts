import { readAffinity } from "../../../../../src/translate/ingress/annotations/affinity.js";
import { readerOf } from "../../../../support/annotation-reader.js";
import { nginx } from "../../../../support/translated.js";

const COOKIE = { affinity: "cookie" };
const NAMED = { affinity: ["cookie", "INGRESSCOOKIE"] };

it.each<[Record<string, string>, object, string?]>([
  [{ affinity: "cookie" }, NAMED],
  [{ affinity: "cookie" }, NAMED, ""],
  [{ affinity: "cookie" }, { ...NAMED, sessionCookie: { path: "/a/(.*)" } }, "/a/(.*)"],
  [{ ...COOKIE, "session-cookie-name": "my-route.x" }, { affinity: ["cookie", "my-route.x"] }],
  [{ "session-cookie-name": "sid" }, {}],
  [{ ...COOKIE, "session-cookie-path": "/" }, NAMED, "/shop"],
  [{ ...COOKIE, "session-cookie-path": "/; Domain=x" }, NAMED],
  [{ ...COOKIE, "session-cookie-samesite": "lax" }, NAMED],
  [
    { ...COOKIE, "session-cookie-max-age": "-1", "session-cookie-expires": "60" },
    { ...NAMED, sessionCookie: { maxAge: -1, expires: 60 } },
  ],
  [{ ...COOKIE, "session-cookie-secure": "false" }, NAMED],
  [
    { ...COOKIE, "affinity-mode": "persistent" },
    { session: { in: "cookie", name: "INGRESSCOOKIE", path: "/shop" } },
    "/shop",
  ],
  [
    { ...COOKIE, "session-cookie-change-on-failure": "true" },
    { session: { in: "cookie", name: "INGRESSCOOKIE", path: "/", moves: true } },
  ],
  [{ "affinity-mode": "persistent" }, {}],
  [{ "upstream-hash-by": "$binary_remote_addr" }, { hashBy: [["remote_addr", "raw"]] }],
  [{ "upstream-hash-by": "$nonsense" }, {}],
  [{ ...COOKIE, "upstream-hash-by": "$uri" }, NAMED],
  [
    { "upstream-hash-by": "u$uri", "upstream-hash-by-subset": "true" },
    { hashBy: ["u", ["uri", "raw"]], hashSubset: 3 },
  ],
  [{ "upstream-hash-by": "x", "upstream-hash-by-subset-size": "2" }, { hashBy: ["x"] }],
])("%j: %j", (annotations, expected, path = "/") => {
  expect(readAffinity(readerOf(nginx(annotations)), path)).toEqual(expected);
});
