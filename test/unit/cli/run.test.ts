import { cpus } from "node:os";
import { jest } from "@jest/globals";
import { parseArguments } from "../../../src/cli/arguments.js";
import { compileOptions, resolveSettings } from "../../../src/cli/settings.js";
import type { CompileOptions } from "../../../src/model/options.js";
import type { NginxBinary } from "../../../src/output/nginx-binary.js";

/** The sockets that the machine of these tests allows. */
const MOST_SOCKETS = 1000;
const real = await import("../../../src/output/nginx-binary.js");
jest.unstable_mockModule("../../../src/output/nginx-binary.js", () => ({
  ...real,
  mostSockets: () => MOST_SOCKETS,
}));
const { runOptions } = await import("../../../src/cli/run.js");

/** The options of `albc run` with these words, this options file and this nginx. */
async function optionsOf(
  words: readonly string[],
  contents: Readonly<Record<string, unknown>> = {},
  nginx?: Pick<NginxBinary, "stream">,
): Promise<CompileOptions> {
  const unexpected = (text: string): never => {
    throw new Error(text);
  };
  const call = parseArguments(["run", ...words], { version: "", write: unexpected });
  if (call.command !== "run") return unexpected(call.command);
  const file = { name: "albc.yaml", contents };
  const settings = resolveSettings({ flags: call.flags, variables: {}, file });
  const binary = nginx && {
    ...{ path: "/nginx", version: "1.30.0", directives: "", variables: {} },
    ...nginx,
  };
  const options = await runOptions({ call, settings, binary });
  // Everything that is not detected is as the settings say.
  const { ingressWithoutClass, authAddresses, stream, ...rest } = options;
  const { listenerSockets, processors, machineAddresses, routedAddresses } = rest;
  const detected = {
    ...{ ingressWithoutClass, authAddresses, stream },
    ...{ listenerSockets, processors, machineAddresses, routedAddresses },
  };
  expect(options).toEqual({ ...compileOptions(settings), ...detected });
  return options;
}

const FILES = ["-f", "a.yaml"];
const CLUSTER = ["--kubernetes"];

test.each([
  [FILES, false, true],
  [FILES, true, true],
  [CLUSTER, false, false],
  [CLUSTER, true, true],
])(
  "of %j, with ingressWithoutClass %s, those without a class are served: %s",
  async (words, on, served) => {
    expect((await optionsOf(words, { ingressWithoutClass: on })).ingressWithoutClass).toBe(served);
  },
);

test.each([
  [true, { stream: true }, true],
  [true, { stream: false }, false],
  [true, undefined, true],
  [false, { stream: true }, false],
  [false, undefined, false],
])(
  "with the option stream %s and the nginx %j, streams are served: %s",
  async (stream, nginx, served) => {
    expect((await optionsOf(FILES, { stream }, nginx)).stream).toBe(served);
  },
);

test.each([
  [MOST_SOCKETS - 1, MOST_SOCKETS - 1],
  [MOST_SOCKETS + 1, MOST_SOCKETS],
])("of %i sockets, the machine allows %i", async (listenerSockets, allowed) => {
  expect((await optionsOf(FILES, { listenerSockets })).listenerSockets).toBe(allowed);
});

test("processors and addresses are those of the machine", async () => {
  expect((await optionsOf(FILES)).processors).toBe(cpus().length);
  expect((await optionsOf(FILES)).machineAddresses).toContain("127.0.0.1");
});
