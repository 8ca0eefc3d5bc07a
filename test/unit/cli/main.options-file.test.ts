import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOptionsFile } from "../../../src/cli/main.js";
import { resolveSettings } from "../../../src/cli/settings.js";
import { UsageError } from "../../../src/cli/terminal.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

function read(text: string): unknown {
  const name = join(folder(), "albc.yaml");
  writeFileSync(name, text);
  return readOptionsFile(name).contents;
}

test.each(["", "# nothing yet\n", "---\n", "{}\n"])("%j holds no key", (text) => {
  expect(read(text)).toEqual({});
  const file = { name: "albc.yaml", contents: read(text) };
  expect(resolveSettings({ flags: {}, variables: {}, file }).number("httpPort")).toBe(80);
});

test("keys have values", () => {
  expect(read("httpPort: 8080\nresolver: [192.0.2.1]\n")).toEqual({
    httpPort: 8080,
    resolver: ["192.0.2.1"],
  });
});

test.each([
  ["httpPort: [80\n", /albc\.yaml:\d+:\d+: .+; .+$/],
  ["a: 1\n\tb: 2\n", /albc\.yaml:2:1: a tab is used for indentation; indent with spaces/],
  ["a: 1\n---\nb: 2\n", /several documents/],
])("%j is a usage error of one line that names the place", (text, message) => {
  expect(() => read(text)).toThrow(UsageError);
  expect(() => read(text)).toThrow(message);
  expect(() => read(text)).not.toThrow("\n");
});

test("a file that is not there, or a folder, is one clear message", () => {
  const gone = join(folder(), "gone.yaml");
  expect(() => readOptionsFile(gone)).toThrow(
    new UsageError(
      `the options file ${gone} does not exist; it is named by --config or the variable ALBC_CONFIG`,
    ),
  );
  mkdirSync(gone);
  expect(() => readOptionsFile(gone)).toThrow(
    `the options file: can't read ${gone}: it is no regular file`,
  );
});

test("a file that never ends, blocks or is too large is one clear message", () => {
  const pipe = join(folder(), "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const path of ["/dev/zero", pipe]) {
    expect(() => readOptionsFile(path)).toThrow(
      new UsageError(`the options file: can't read ${path}: it is no regular file`),
    );
  }
  const large = join(folder(), "large.yaml");
  writeFileSync(large, "#".repeat(1024 * 1024 + 1));
  expect(() => readOptionsFile(large)).toThrow(
    `the options file: can't read ${large}: it has more than 1024 KiB`,
  );
  writeFileSync(large, "#".repeat(1024 * 1024));
  expect(readOptionsFile(large).contents).toEqual({});
});

test("messages about keys name their line", () => {
  const name = join(folder(), "albc.yaml");
  writeFileSync(name, "# proxies\nhttpPort: 8080\ntrustedProxies:\n  - 10.0.0.0/99\n");
  const file = { name, ...readOptionsFile(name) };
  expect(() => resolveSettings({ flags: {}, variables: {}, file })).toThrow(
    new UsageError(
      `${name}:3: trustedProxies must be a list of IP addresses and CIDRs, but is ["10.0.0.0/99"]`,
    ),
  );
});
