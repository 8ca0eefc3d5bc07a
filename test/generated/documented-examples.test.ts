/** Manifests and commands in README.md and docs/ are ones that albc takes. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArguments } from "../../src/cli/arguments.js";
import { DEFAULT_OPTIONS, compile, loadText } from "../../src/index.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const BLOCK = /^( *)```(\w+)\n([\s\S]*?)\n\1```$/gm;

interface Block {
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

const BLOCKS: readonly Block[] = PAGES.flatMap((page) => {
  const content = readFileSync(join(ROOT, page), "utf8");
  return [...content.matchAll(BLOCK)].map(
    ({ 1: indent = "", 2: language = "", 3: text = "", index }) => ({
      place: `${page}:${String(content.slice(0, index).split("\n").length + 1)}`,
      language,
      text: text.replace(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );
});

const SHELL: ReadonlySet<string> = new Set(["sh", "console"]);

const GATEWAY_CLASS = `
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: ${DEFAULT_OPTIONS.controllerName} }
`;

/** Objects that an example names belong to the reader. */
const NAMED: ReadonlySet<string> = new Set([
  ...["SERVICE_NOT_FOUND", "AUTH_SERVICE_NOT_FOUND", "ROUTE_BACKEND_NOT_FOUND"],
  ...["GATEWAY_REFERENCE", "AUTH_REFERENCE_NOT_FOUND"],
  ...["ROUTE_PARENT_NOT_FOUND", "POLICY_TARGET_NOT_FOUND", "POLICY_UNUSED"],
]);

describe("a manifest", () => {
  const manifests = BLOCKS.filter(
    ({ language, text }) => language === "yaml" && /^apiVersion:/m.test(text),
  );

  it.each(manifests)("of $place is valid", ({ text, place }) => {
    const loaded = loadText(text + GATEWAY_CLASS, {}, place);
    const found = [...loaded.diagnostics, ...compile(loaded.resources).diagnostics];
    const problems = found.filter(({ code }) => !NAMED.has(code));
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  });
});

describe("a command", () => {
  const COMMAND =
    /^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:npx |kubectl )?albc (.*)|(?:node \$albc|node \/app\/dist\/cli\/main\.js) (.*)/;
  const commands = BLOCKS.filter(({ language }) => SHELL.has(language)).flatMap(({ text, place }) =>
    text.split("\n").flatMap((line) => {
      const [, command, long = command] = COMMAND.exec(line) ?? [];
      return long === undefined ? [] : [{ place, command: long }];
    }),
  );

  it.each(commands)("of $place has only what albc knows: $command", ({ command }) => {
    const words = [...command.matchAll(/(?<![^ ])(?:'[^']*'|"[^"]*"|[^ '"]+)+/g)].map(([word]) =>
      word.replaceAll(/['"]/g, ""),
    );
    const end = words.findIndex((word) => /^[#>|]/.test(word));
    const call = () =>
      parseArguments(end < 0 ? words : words.slice(0, end), {
        version: "1",
        write: () => undefined,
      });
    expect(call).not.toThrow();
  });
});
