import { readCors } from "../../../../../src/translate/ingress/annotations/cors.js";
import { readerOf } from "../../../../support/annotation-reader.js";
import { nginx } from "../../../../support/translated.js";

it("is off unless it is enabled", () => {
  expect(readCors(readerOf(nginx({ "cors-max-age": "60" })))).toEqual({});
});

it("has ingress-nginx's defaults, also for empty lists", () => {
  const annotations = nginx({ "enable-cors": "true", "cors-allow-methods": "," });
  expect(readCors(readerOf(annotations)).cors).toMatchObject({
    origins: ["*"],
    methods: ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"],
    credentials: true,
    maxAge: 1_728_000,
  });
});

it("has what is written", () => {
  const annotations = {
    "enable-cors": "true",
    "cors-allow-origin": "https://*.a.example:8443, null, capacitor://localhost",
    "cors-allow-methods": "GET, PUT",
    "cors-allow-headers": "X-A,X-B",
    "cors-expose-headers": "*",
    "cors-allow-credentials": "false",
    "cors-max-age": "60",
  };
  expect(readCors(readerOf(nginx(annotations))).cors).toEqual({
    origins: ["https://*.a.example:8443", "null", "capacitor://localhost"],
    methods: ["GET", "PUT"],
    headers: ["X-A", "X-B"],
    expose: ["*"],
    credentials: false,
    maxAge: 60,
  });
});

it.each([
  [{ "cors-allow-origin": "https://a.example, x" }, { origins: ["https://a.example"] }],
  [{ "cors-allow-methods": "GET, PU T" }, { methods: ["GET"] }],
  [{ "cors-allow-headers": "X-A, X-*" }, { headers: ["X-A"] }],
])("a bad item is left out: %j", (annotations, expected) => {
  const reader = readerOf(nginx({ "enable-cors": "true", ...annotations }));
  expect(readCors(reader).cors).toMatchObject(expected);
});

it.each(["origin", "methods", "headers"])("no CORS is left of bad items alone: %s", (name) => {
  const key = name === "origin" ? "cors-allow-origin" : `cors-allow-${name}`;
  expect(readCors(readerOf(nginx({ "enable-cors": "true", [key]: "b@d /" })))).toEqual({});
});
