import { fileShortage } from "../../../src/output/nginx-binary.js";
import { CONNECTIONS } from "../../../src/render/nginx/nginx-conf.js";

function limits(hard: string): string {
  return `Max processes 1 1 processes\nMax open files            1024                 ${hard}               files\n`;
}

test("a limit of files that is too low for a worker's connections is said, with the number", () => {
  const files = CONNECTIONS + 1024;
  expect(fileShortage(limits(String(files - 1)))).toMatch(/may open 17407 files.*to 17408 /);
  expect(fileShortage(limits(String(files)))).toBeUndefined();
  expect(fileShortage(limits("unlimited"))).toBeUndefined();
  expect(fileShortage("")).toBeUndefined();
});
