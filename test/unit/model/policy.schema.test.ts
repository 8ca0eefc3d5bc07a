import { readFileSync } from "node:fs";
import { join } from "node:path";
import { configOf } from "../../support/data-plane-config.js";
import { policyErrors } from "../../support/policy-schema.js";
import { policyDocument } from "../../support/rendered-policy.js";

const policy = policyDocument(configOf((field) => field));

/** A copy of the policy in which the value at the path is replaced. */
function changed(path: readonly (string | number)[], value: unknown): unknown {
  const copy: unknown = structuredClone(policy);
  let place = copy as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) place = place[step] as Record<string | number, unknown>;
  place[path.at(-1) ?? ""] = value;
  return copy;
}

test.each<[readonly (string | number)[], unknown]>([
  [["format"], 1],
  [["version"], "1"],
  [["surprise"], 1],
  [["settings", "authTimeout"], "5s"],
  [["servers", "p80", "port"], 70_000],
  [["hosts", "listener|host"], []],
  [["hosts", "listener|host", 0, "when"], []],
  [
    ["hosts", "listener|host", 1, "path"],
    ["glob", "/"],
  ],
  [["hosts", "listener|host", 0, "when", 0, "of"], "body"],
  [["hosts", "listener|host", 0, "when", 0, "any", 0], ["eq"]],
  [["routes", "route", "surprise"], 1],
  [["routes", "route", "bodyLimit"], 0],
  [["routes", "route", "satisfy"], "all"],
  [["routes", "route", "auth"], []],
  [["routes", "route", "requestHeaders"], {}],
  [["routes", "route", "redirect", "status"], 200],
  [
    ["routes", "route", "rewrite"],
    ["regex", "a", "g", ["b"], true],
  ],
  [["routes", "route", "backends", 0, "protocol"], "ftp"],
  [
    ["routes", "refusing route", "refuse"],
    [200, ""],
  ],
  [["auths", "auth", "basic", "file"], "../../etc/passwd"],
  [["auths", "auth", "forward", "host"], [["host", "base64"]]],
  [["auths", "auth", "forward", "alwaysSetCookie"], false],
  [["upstreams", "upstream", "endpoints"], [["10.0.0.1"]]],
  [["certificates", "p443|host"], "/etc/ssl/key.pem"],
])("the schema refuses a policy with %j = %j", (path, value) => {
  expect(policyErrors(policy)).toEqual([]);
  expect(policyErrors(changed(path, value))).not.toEqual([]);
});

test("the example of docs/policy-format.md is a policy", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/policy-format.md"), "utf8");
  const [, example = ""] = /```json\n(.*?)```/s.exec(page) ?? [];
  expect(policyErrors(JSON.parse(example))).toEqual([]);
});
