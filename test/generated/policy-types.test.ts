import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expectGenerated } from "../support/generated-file.js";
import { POLICY_SCHEMA } from "../support/policy-schema.js";
import { luaTypes, typeTables } from "../support/policy-types.js";

const PAGE = "docs/policy-format.md";
const MARK = "<!-- What follows is made from src/model/policy.ts. -->\n";

test("lua/alb/policy/types.lua has the types of the policy", () => {
  expectGenerated("lua/alb/policy/types.lua", luaTypes(POLICY_SCHEMA));
});

test("docs/policy.schema.json is the policy's schema", () => {
  expectGenerated("docs/policy.schema.json", `${JSON.stringify(POLICY_SCHEMA, null, 2)}\n`);
});

test("docs/policy-format.md has a table of each type", () => {
  const page = readFileSync(join(import.meta.dirname, "../..", PAGE), "utf8");
  const [byHand = ""] = page.split(MARK);
  expectGenerated(PAGE, `${byHand}${MARK}${typeTables(POLICY_SCHEMA)}`);
});
