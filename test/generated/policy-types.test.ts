import schema from "../../src/render/policy/policy.schema.json" with { type: "json" };
import { expectGenerated } from "../support/generated-file.js";
import { luaTypes, type Schema } from "../support/lua-types.js";

test("lua/alb/policy/types.lua has the types of the policy's schema", () => {
  expectGenerated("lua/alb/policy/types.lua", luaTypes(schema as Schema));
});
