import type { HeaderRole } from "../../src/model/special-headers.js";
import { headersThatAre } from "../../src/model/special-headers.js";
import { expectGenerated } from "../support/generated-file.js";

const SETS: readonly (readonly [name: string, comment: string, ...roles: readonly HeaderRole[]])[] =
  [
    ["of_connection", "The data plane alone writes them.", "connection"],
    ["of_hop", "Never copied from one message to another.", "connection", "hop"],
    ["dropped", "Of no client passed on.", "dropped"],
    ["claims", "Passed on for the proxies that we believe, as all of x-original-*.", "claim"],
  ];

test("lua/alb/headers.lua has the headers of src/model/special-headers.ts", () => {
  const sets = SETS.map(([set, comment, ...roles]) => {
    const names = roles.flatMap((role) => headersThatAre(role)).map((name) => name.toLowerCase());
    const rows = names.map((name) => `        ["${name}"] = true,\n`);
    return `    -- ${comment}\n    ${set} = {\n${rows.join("")}    },\n`;
  });
  expectGenerated(
    "lua/alb/headers.lua",
    "--- Sets of special headers in lower case, made from src/model/special-headers.ts.\n" +
      "-- May yield: no. Pure.\n" +
      `return {\n${sets.join("")}}\n`,
  );
});
