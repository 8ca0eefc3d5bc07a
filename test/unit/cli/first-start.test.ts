import { startNginx } from "../../../src/cli/first-start.js";
import type { FirstStart } from "../../../src/cli/first-start.js";
import { NO_OBSERVER } from "../../../src/controller/observer.js";
import { PolicyTooLarge } from "../../../src/support/errors.js";
import type { RenderedFile } from "../../../src/render/rendered-file.js";

const FULL: readonly RenderedFile[] = [{ path: "nginx.conf", contents: "full", mode: 0o644 }];
const EMPTY: readonly RenderedFile[] = [{ path: "nginx.conf", contents: "empty", mode: 0o644 }];

/** What is told, in order, when compiling or preparing fails so. */
async function startFailing(at: "compile" | "prepare", error: Error): Promise<readonly string[]> {
  const told: string[] = [];
  const controller: FirstStart["controller"] = {
    compileFiles: () => (at === "compile" ? Promise.reject(error) : Promise.resolve(FULL)),
    emptyFiles: () => EMPTY,
    exclude: () => false,
    served: { ports: [], objects: 0 },
  };
  const log = (fields: object, message: string): void => {
    told.push(`${message}: ${JSON.stringify(fields)}`);
  };
  await startNginx({
    controller,
    applier: {
      prepare: (files) => {
        if (at === "prepare" && files === FULL) return Promise.reject(error);
        told.push(files === EMPTY ? "prepared nothing" : "prepared all");
        return Promise.resolve({ kind: "written", version: "1" });
      },
    },
    nginx: {
      start: () => {
        told.push("started");
        return Promise.resolve();
      },
    },
    observer: { ...NO_OBSERVER, servesNothing: () => told.push("not ready") },
    log: { debug: log, info: log, warn: log, error: log },
  });
  return told;
}

test.each(["compile", "prepare"] as const)(
  "with a policy that is too large at %s albc serves nothing, and says so",
  async (at) => {
    expect(await startFailing(at, new PolicyTooLarge("261 MiB"))).toEqual([
      'the objects are too many or too large; nothing is served: {"reason":"261 MiB"}',
      "not ready",
      "prepared nothing",
      "started",
    ]);
  },
);

test("any other failure to start ends it", async () => {
  await expect(startFailing("prepare", new Error("a bug"))).rejects.toThrow("a bug");
});
