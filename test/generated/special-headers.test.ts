import { type HeaderRole, headersThatAre } from "../../src/model/special-headers.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expectGenerated } from "../support/generated-file.js";

const SETS: readonly (readonly [name: string, comment: string, ...roles: readonly HeaderRole[]])[] =
  [
    ["of_connection", "Only the data plane writes them.", "connection"],
    ["of_hop", "Never copied from one message to another.", "connection", "hop"],
    ["dropped", "Never passed on.", "dropped"],
    ["content", "Describe the content of a message.", "content"],
    ["response", "Mean something in a response.", "response"],
    ["claims", "Passed on only from trusted proxies.", "claim"],
  ];

const rows = (names: readonly string[]) =>
  names
    .filter((name) => !name.endsWith("*"))
    .map((name) => `        ["${name.toLowerCase()}"] = true,\n`)
    .join("");

test("lua/alb/headers.lua has the headers of src/model/special-headers.ts", () => {
  const sets = SETS.map(([set, comment, ...roles]) => {
    return `    -- ${comment}\n    ${set} = {\n${rows(roles.flatMap((role) => headersThatAre(role)))}    },\n`;
  });
  const prefixes = SETS.flatMap(([set, , ...roles]) =>
    roles
      .flatMap((role) => headersThatAre(role).filter((name) => name.endsWith("*")))
      .map((name) => `        { "${name.toLowerCase().slice(0, -1)}", "${set}" },\n`),
  );
  expectGenerated(
    "lua/alb/headers.lua",
    "--- Sets of special headers in lower case, generated from src/model/special-headers.ts.\n" +
      "-- May yield: no. Pure.\n" +
      `return {\n${sets.join("")}` +
      `    -- All of them.\n    special = {\n${rows(headersThatAre())}    },\n` +
      `    -- Beginnings of more names, each with its set.\n    prefixes = {\n${prefixes.join("")}    },\n}\n`,
  );
});

test("the data plane knows the value of each header that says where a request came from", () => {
  const file = join(import.meta.dirname, "../../lua/alb/auth/client_headers.lua");
  const listed = readFileSync(file, "utf8").matchAll(/^ {8}\{ "([\w-]+)", "\w+" \},$/gm);
  const names = [...listed].map(([, name]) => name).sort();
  expect(names).toEqual([...headersThatAre("origin"), "X-Forwarded-For"].sort());
});
