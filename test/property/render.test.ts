import { fc } from "../support/fast-check.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { type RenderedFile, contentsOf } from "../../src/render/rendered-file.js";
import { Renderer } from "../../src/render.js";
import { configOf } from "../support/data-plane-config.js";
import { policyErrors } from "../support/policy-schema.js";

/** What breaks out of quotes, blocks, lines and strings somewhere. */
const HOSTILE = [
  ...['"', "'", "\\", "`", "$", "${", "$host", "{", "}", ";", "#", "\n", "\r\n", "\t", "\0", "%"],
  ...['"; } server { listen 1; } #', "]]", "--[[", "\u2028", "\ud800", "\udc00", "\x7f", "😀"],
  ...["__proto__", "constructor", "../../etc/passwd", "<script>", "a\0b", "{{text x}}", "*/"],
];

const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 20 })), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""));

const HARMLESS = new Renderer().render(
  configOf((field) => field),
  DEFAULT_OPTIONS,
);

function textOf(files: readonly RenderedFile[], path: string): string {
  const file = files.find((each) => each.path === path);
  return file === undefined ? "" : contentsOf(file);
}

/** nginx.conf but for the digests of other files' contents. */
function confOf(files: readonly RenderedFile[]): string {
  return textOf(files, "nginx.conf").replace(/(?<=\/)[0-9a-f]{32}(?=\.pem)/g, "…");
}

test("what users write leaves nginx.conf as it is, byte for byte, and fits into a policy", () => {
  fc.assert(
    fc.property(hostileText, fc.boolean(), (text, distinct) => {
      const files = new Renderer().render(
        configOf((field) => (distinct ? `${field}${text}` : text)),
        DEFAULT_OPTIONS,
      );
      expect(confOf(files)).toBe(confOf(HARMLESS));
      expect(policyErrors(JSON.parse(textOf(files, "policy.json")))).toEqual([]);
    }),
  );
});

test("the paths of files are ours, whatever users write", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const paths = new Renderer()
        .render(
          configOf((field) => field + text),
          DEFAULT_OPTIONS,
        )
        .map(({ path }) => path);
      for (const path of paths) {
        expect(path).toMatch(
          /^(?:nginx\.conf|policy\.json|(?:authorities|credentials|certificates)\/[0-9a-f]{32}\.(?:json|pem))$/,
        );
      }
    }),
  );
});

test("the policy holds every text as it was written, but for halves of surrogate pairs", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const files = new Renderer().render(
        configOf((field) => field + text),
        DEFAULT_OPTIONS,
      );
      const policy = JSON.parse(textOf(files, "policy.json")) as {
        routes: Record<string, { redirect?: { url?: readonly string[] } }>;
      };
      const written = (field: string) => (field + text).replace(/\p{Surrogate}/gu, "\ufffd");
      expect(policy.routes[written("route")]?.redirect?.url).toEqual([written("url")]);
    }),
  );
});

test("text of a megabyte in every field changes nothing but the policy and the memory for it", () => {
  const files = new Renderer().render(
    configOf((field) => field.padEnd(2 ** 20, "$;{}\"'\\\n")),
    DEFAULT_OPTIONS,
  );
  const withoutMemory = (text: string) => text.replace(/(albc_policy) \d+;/, "$1 …;");
  expect(withoutMemory(confOf(files))).toBe(withoutMemory(confOf(HARMLESS)));
  expect(textOf(files, "policy.json").length).toBeGreaterThan(2 ** 25);
});
