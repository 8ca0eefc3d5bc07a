import { Controller } from "../../../src/controller/controller.js";
import { initialInput, advance } from "../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import type { Applied } from "../../../src/output/apply.js";
import { NginxRefused } from "../../../src/output/reloader.js";
import { type RenderedFile, contentsOf } from "../../../src/render/rendered-file.js";
import { PolicyTooLarge } from "../../../src/support/errors.js";

const INGRESS = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop }
spec:
  ingressClassName: nginx
  defaultBackend: { service: { name: web, port: { number: 80 } } }
`;

/** Starts nginx with an Ingress, and returns what happens, in order. `prepare` may throw for each set of files. */
async function start(
  prepare: (files: readonly RenderedFile[]) => void,
  readingError?: Error,
): Promise<readonly string[]> {
  const told: string[] = [];
  const log = (fields: object, message: string): void => {
    if (!("code" in fields)) told.push(`${message}: ${JSON.stringify(fields)}`);
  };
  const controller = new Controller(
    {
      start: () => Promise.resolve(),
      read: () =>
        readingError === undefined
          ? Promise.resolve({
              ...advance(initialInput({ albGroup: "a" }), [{ path: "web.yaml", text: INGRESS }]),
              changed: [],
            })
          : Promise.reject(readingError),
      close: () => Promise.resolve(),
    },
    {
      options: DEFAULT_OPTIONS,
      log: { debug: log, info: log, warn: log, error: log },
      observe: (name, ..._values) => {
        if (name === "servesNothing") told.push("not ready");
      },
      fixedFiles: [],
      apply: () => Promise.reject(new Error("not used")),
    },
  );
  try {
    await controller.startNginx({
      prepare: (files): Promise<Applied> => {
        prepare(files);
        told.push(`prepared ${servesShop(files) ? "all" : "nothing"}`);
        return Promise.resolve({ kind: "written", version: "1" });
      },
      start: () => {
        told.push("started");
        return Promise.resolve();
      },
    });
  } finally {
    await controller.close();
  }
  return told;
}

function servesShop(files: readonly RenderedFile[]): boolean {
  return files.some((file) => file.path === "policy.json" && contentsOf(file).includes("shop"));
}

test.each(["compiling", "preparing"] as const)(
  "if the policy is too large when %s, albc serves nothing and says so",
  async (when) => {
    const error = new PolicyTooLarge("261 MiB");
    const prepare = (files: readonly RenderedFile[]): void => {
      if (servesShop(files)) throw error;
    };
    expect(await start(prepare, when === "compiling" ? error : undefined)).toEqual([
      'the objects are too many or too large; nothing is served until that is repaired: {"reason":"261 MiB"}',
      "not ready",
      "prepared nothing",
      "started",
    ]);
  },
);

test("a port that nginx can't listen on is left out, as long as there is another", async () => {
  const conf = (files: readonly RenderedFile[]): string =>
    files
      .filter(({ path }) => path === "nginx.conf")
      .map(contentsOf)
      .join("");
  const prepare = (files: readonly RenderedFile[]): void => {
    if (conf(files).includes("listen 0.0.0.0:80 ")) throw new NginxRefused("taken", ["80"]);
  };
  expect(await start(prepare)).toEqual([
    expect.stringContaining('"ports":["80"],"reason":"taken"'),
    "prepared all",
    "started",
  ]);
});

test("any other failure to start ends albc", async () => {
  const prepare = (): void => {
    throw new Error("a bug");
  };
  await expect(start(prepare)).rejects.toThrow("a bug");
});
