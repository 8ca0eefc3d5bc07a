import { compile } from "../../src/compile.js";
import { formatJson, formatText } from "../../src/diagnostics/format.js";
import { withoutUrlSecrets } from "../../src/diagnostics/sink.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { ANNOTATIONS } from "../../src/translate/ingress/annotation-table.js";
import { fc } from "../support/fast-check.js";
import { ingress, rules, service } from "../support/translated.js";

const SECRET = "pa55w0rd";

/** URLs with a password in the query. */
const asked = fc
  .record({
    scheme: fc.constantFrom("http://", "ftp://", "http:/", ""),
    place: fc.constantFrom("auth.example/check", "auth.example:99999/", "$host", ""),
    before: fc.constantFrom("?", "?a=b&", "?x;", "?u=me@b&"),
    name: fc.constantFrom("password", "token", "api_key", "X-Amz-Signature", "client-secret"),
    after: fc.constantFrom("", "&rd=/", "#x", "@", " x", "$nope"),
  })
  .map(
    ({ scheme, place, before, name, after }) =>
      `${scheme}${place}${before}${name}=${SECRET}${after}`,
  );

/** URLs with a password before the host, right and misspelt. */
const named = fc
  .record({
    scheme: fc.constantFrom("http://", "https://", "ftp://", "http:/", "http:", ""),
    user: fc.constantFrom("user", "u@x", "us er", ""),
    before: fc.constantFrom("", "a", "@", "/", "$x", "x".repeat(70)),
    after: fc.constantFrom("", "b", "@", "/", "?"),
    rest: fc.constantFrom("auth.example/", "auth.example:99999", "$host", ""),
  })
  .map(
    ({ scheme, user, before, after, rest }) =>
      `${scheme}${user}:${before}${SECRET}${after}@${rest}`,
  );

describe("the password of a URL", () => {
  it("stands in no message and no excerpt, whatever is wrong with the annotation", () => {
    const name = fc.constantFrom(...ANNOTATIONS.map((annotation) => annotation.name));
    fc.assert(
      fc.property(name, fc.oneof(named, asked), (annotation, value) => {
        const key = `nginx.ingress.kubernetes.io/${annotation}`;
        const yaml =
          ingress("web", { annotations: { [key]: value }, spec: rules({ "a.example": ["/"] }) }) +
          service("web");
        const loaded = resourcesFromYaml(yaml);
        const { diagnostics } = compile(loaded.resources, DEFAULT_OPTIONS);
        const all = [...loaded.diagnostics, ...diagnostics];
        expect(formatText(all, { colours: false }) + formatJson(all)).not.toContain(SECRET);
      }),
    );
  });

  it.each([
    ["at http://user:secret@a.example/", "at http://***********@a.example/"],
    ['"http://u:p@a" and "x@y"', '"http://***@a" and "x@y"'],
    ["user:secret@a.example", "user:******@a.example"],
    ["http://a.example/x", "http://a.example/x"],
    ['"http://a/?x=1&token=abc&y=2" or', '"http://a/?x=1&token=***&y=2" or'],
    ["mail: me@a.example", "mail: me@a.example"],
  ])("%j becomes %j", (text, redacted) => {
    expect(withoutUrlSecrets(text)).toBe(redacted);
  });
});
