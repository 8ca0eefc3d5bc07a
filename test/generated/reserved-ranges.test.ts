import { RESERVED } from "../../src/translate/auth/reserved-addresses.js";
import { expectGenerated } from "../support/generated-file.js";

test("lua/alb/auth/reserved_ranges.lua has the ranges of src/translate/auth/reserved-addresses.ts", () => {
  expectGenerated(
    "lua/alb/auth/reserved_ranges.lua",
    "--- Addresses that auth services of tenants can't have, generated from src/translate/auth/reserved-addresses.ts.\n" +
      "-- May yield: no. Pure.\n" +
      `return {\n${RESERVED.map((range) => `    "${range}",\n`).join("")}}\n`,
  );
});
