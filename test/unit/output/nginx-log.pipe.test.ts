import { createWriteStream, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeLogPipe } from "../../../src/output/nginx-log.js";
import { EnvironmentError } from "../../../src/support/errors.js";
import { until } from "../../support/until.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

test("what is written to the pipe by name comes out, from one writer after the other", async () => {
  mkdirSync(join(folder(), "control"));
  let heard = "";
  const pipe = await makeLogPipe(folder(), (bytes) => {
    heard += Buffer.from(bytes).toString();
  });
  const path = join(folder(), "control/stdout");
  expect(lstatSync(path).isFIFO()).toBe(true);
  for (const line of ["one\n", "two\n"]) createWriteStream(path).end(line);
  await until(() => heard.length === 8);
  expect(heard.split("\n").sort()).toEqual(["", "one", "two"]);
  pipe.close();
});

test("a folder without a place for it is an error", async () => {
  await expect(makeLogPipe(folder(), () => undefined)).rejects.toThrow(EnvironmentError);
});
