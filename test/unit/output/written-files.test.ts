import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { policyDelta } from "../../../src/output/data-plane.js";
import { changedFiles } from "../../../src/output/files.js";
import { WrittenFiles } from "../../../src/output/written-files.js";
import { type RenderedFile, contentsOf } from "../../../src/render/rendered-file.js";
import { policyFrom } from "../../support/rendered-policy.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
const at = (path: string) => join(folder(), path);

describe("a policy.json", () => {
  const policies = [0, 1, 2].map((count) =>
    policyFrom({ routes: Object.fromEntries(["a", "b"].slice(0, count).map((id) => [id, {}])) }),
  );
  const policyFile = (index: number): RenderedFile => ({
    path: "policy.json",
    contents: policies[index] ?? "",
    mode: 0o600,
  });
  const change = (from: number, to: number): [string, string] => {
    const [before, now] = [policies[from], policies[to]];
    if (before === undefined || now === undefined) throw new Error("no such policy");
    return [policyDelta(before, now) ?? "", before.version];
  };
  const text = () => readFileSync(at("policy.json"), "utf8");
  let written: WrittenFiles;

  beforeEach(async () => {
    written = new WrittenFiles(folder(), undefined);
    await written.write([policyFile(0)]);
  });

  test("is followed by a change with its digest", async () => {
    const document = text();
    const [body, from] = change(0, 1);
    await written.writePolicy(policyFile(1), body, from);
    const digest = createHash("md5").update(body).digest("hex");
    expect(text()).toBe(`${document}${body}albc-end ${digest}\n`);
    expect(await written.changed([policyFile(1)])).toEqual([]);
    // Another process knows only the document.
    expect(await changedFiles(folder(), [policyFile(1)])).toEqual([policyFile(1)]);
    expect(await changedFiles(folder(), [policyFile(0)])).toEqual([policyFile(0)]);
  });

  test("is replaced by a change of another version", async () => {
    const [body, from] = change(1, 2);
    await written.writePolicy(policyFile(2), body, from);
    expect(text()).toBe(contentsOf(policyFile(2)));
  });

  test("is replaced once the changes are long", async () => {
    const long = `${" ".repeat(600 * 1024)}\n`;
    await written.writePolicy(policyFile(1), long, change(0, 1)[1]);
    expect(text()).toContain(long);
    await written.writePolicy(policyFile(2), long, change(1, 2)[1]);
    expect(text()).toBe(contentsOf(policyFile(2)));
    await written.writePolicy(policyFile(1), long, change(2, 1)[1]);
    expect(text()).toContain(long);
  });

  test.each([
    ["cut off", () => truncateSync(at("policy.json"), text().length - 3)],
    ["written to", () => appendFileSync(at("policy.json"), "x")],
  ])("that something else has %s is replaced", async (_, meddle) => {
    await written.writePolicy(policyFile(1), ...change(0, 1));
    meddle();
    await written.writePolicy(policyFile(2), ...change(1, 2));
    expect(text()).toBe(contentsOf(policyFile(2)));
  });

  test("is replaced if the change can't be appended", async () => {
    rmSync(at("policy.json"));
    await written.writePolicy(policyFile(1), ...change(0, 1));
    expect(text()).toBe(contentsOf(policyFile(1)));
  });
});
