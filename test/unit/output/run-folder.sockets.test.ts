import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeSockets } from "../../../src/output/run-folder.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

test("sockets that were left are removed, and nothing else", async () => {
  for (const name of ["control", "tmp"]) mkdirSync(join(folder(), name));
  for (const file of ["control/control.sock", "control/loaded", "tmp/closed.sock", "tmp/a"]) {
    writeFileSync(join(folder(), file), "");
  }
  await removeSockets(folder());
  expect(readdirSync(join(folder(), "control"))).toEqual(["loaded"]);
  expect(readdirSync(join(folder(), "tmp"))).toEqual(["a"]);
});

test("a folder that is not there has none", async () => {
  await expect(removeSockets(join(folder(), "none"))).resolves.toBeUndefined();
});
