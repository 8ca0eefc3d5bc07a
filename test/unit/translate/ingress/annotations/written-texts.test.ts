import { regexGroups } from "../../../../../src/translate/pattern/regex.js";
import {
  LOCATION,
  ROOT,
  isRedirecting,
  readLocation,
  readReplacement,
} from "../../../../../src/translate/ingress/annotations/written-texts.js";

const GROUPS = regexGroups("/old(/|$)(?<tail>.*)");

it.each<readonly [string, unknown]>([
  ["/", ["/"]],
  ["/$2", ["/", [2, "path"]]],
  ["/${2}x", ["/", [2, "path"], "x"]],
  ["/$10", ["/", [1, "path"], "0"]],
  ["/$tail", ["/", [2, "path"]]],
  ["/${tail}.html", ["/", [2, "path"], ".html"]],
  ["/$host/$1", ["/", ["host", "path"], "/", [1, "path"]]],
  ["$1", [[1, "path"]]],
  [
    "/user?name=$2&h=$host&$args",
    ["/user?name=", [2, "query"], "&h=", ["host", "component"], "&", ["args", "raw"]],
  ],
  ["/price$", ["/price$"]],
])("rewrite-target %s", (text, expected) => {
  expect(readReplacement(text, GROUPS)).toEqual({ ok: true, value: { text: expected, unset: [] } });
});

it.each<readonly [string, unknown]>([
  ["https://new.example/a", ["https://new.example/a"]],
  ["https://new.example/$2", ["https://new.example/", [2, "path"]]],
  ["https://new.example$1", ["https://new.example", [1, "start"]]],
  ["https://new.example$tail?x", ["https://new.example", [2, "start"], "?x"]],
  ["https://new.example$request_uri", ["https://new.example", ["request_uri", "raw"]]],
  [
    "https://new.example$uri$is_args$args",
    ["https://new.example", ["uri", "raw"], ["is_args", "raw"], ["args", "raw"]],
  ],
  ["https://$2.new.example/", ["https://", [2, "host"], ".new.example/"]],
  ["https://$host:8443/x", ["https://", ["host", "host"], ":8443/x"]],
  ["$scheme://www.$host/", [["scheme", "raw"], "://www.", ["host", "host"], "/"]],
  [
    "https://new.example/?to=$2#$tail",
    ["https://new.example/?to=", [2, "query"], "#", [2, "query"]],
  ],
  ["/new/$2", ["/new/", [2, "path"]]],
  ["https://new.example/x?", ["https://new.example/x"]],
])("Location %s", (text, expected) => {
  expect(LOCATION.parse(text)).toEqual({ ok: true, value: text });
  expect(readLocation(text, GROUPS)).toEqual({ ok: true, value: { text: expected, unset: [] } });
});

it.each([
  ["https://new.example/$unknown", "has the unknown variable $unknown"],
  ["/$hos", "has the unknown variable $hos, did you mean $host?"],
  ["/${tail", "has ${tail without a closing }"],
])("%s can't be read: %s", (text, problem) => {
  expect(readLocation(text, GROUPS)).toEqual({ ok: false, problem });
  expect(readReplacement(text, GROUPS)).toEqual({ ok: false, problem });
});

it("captures of groups that the path does not have are empty", () => {
  const read = readLocation("https://new.example/$1/$3/$3", GROUPS);
  expect(read).toEqual({
    ok: true,
    value: { text: ["https://new.example/", [1, "path"], "//"], unset: [3] },
  });
});

const LONG = `/${"a".repeat(8192)}`;

it.each([
  ["ftp://a.example/", "it is neither a path nor an http or https URL"],
  ["//a.example/", "it is neither a path nor an http or https URL"],
  ["https:///a", "it is neither a path nor an http or https URL"],
  ["https://a b/", "it is neither a path nor an http or https URL"],
  ["$1", "it is neither a path nor an http or https URL"],
  ["$http_referer", "it is neither a path nor an http or https URL"],
  [LONG, "it is longer than 8192 characters"],
])("%# no Location", (text, problem) => {
  expect(LOCATION.parse(text)).toEqual({ ok: false, problem });
});

it.each([
  ["http://a.example/$1", true],
  ["HTTPS://a.example", true],
  ["$scheme://a.example", true],
  ["${scheme}://a.example", true],
  ["/http://a.example", false],
  ["$1", false],
  ["$http_x://a.example", false],
])("rewrite-target %s redirects: %s", (text, expected) => {
  expect(isRedirecting(text)).toBe(expected);
});

it("a text that is malformed for every path is so for each of them", () => {
  const problem = "is neither a path nor an http or https URL";
  expect(readLocation("$schemes", GROUPS)).toEqual({ ok: false, problem });
  const long = { ok: false, problem: "is longer than 8192 characters" };
  expect(readReplacement(LONG, GROUPS)).toEqual(long);
  expect(readLocation(LONG, GROUPS)).toEqual(long);
  expect(ROOT.parse("app")).toEqual({ ok: false, problem: "it is not a path" });
});
