import { formatGithub, formatSarif } from "../../../src/diagnostics/ci-formats.js";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic.js";

const DIAGNOSTIC: Diagnostic = {
  code: "FIELD_INVALID",
  severity: "error",
  message: "50% is no\nport",
  resource: { apiVersion: "v1", kind: "Service", namespace: "shop", name: "web" },
  field: ["spec", "ports", 0],
  location: { file: "my, files/a:b.yaml", line: 3, column: 5, excerpt: "password" },
  hint: "correct it",
  related: [{ message: "first here", location: { file: "/x y.yaml", line: 1, column: 2 } }],
};
const WITHOUT_PLACE: Diagnostic = { code: "FILE_MISSING", severity: "warning", message: "gone" };
const INFO: Diagnostic = { code: "GATEWAY_NOT_SERVED", severity: "info", message: "other" };

describe("GitHub's workflow commands", () => {
  it("escape what ends a property or a line", () => {
    expect(formatGithub([DIAGNOSTIC])).toBe(
      "::error file=my%2C files/a%3Ab.yaml,line=3,col=5,title=FIELD_INVALID::50%25 is no\\u000aport%0Acorrect it\n",
    );
  });

  it("need no place, and call an info a notice", () => {
    expect(formatGithub([WITHOUT_PLACE, INFO])).toBe(
      "::warning title=FILE_MISSING::gone\n::notice title=GATEWAY_NOT_SERVED::other\n",
    );
  });
});

describe("SARIF", () => {
  const run = (diagnostics: readonly Diagnostic[]) => {
    const log: unknown = JSON.parse(formatSarif(diagnostics, "1.2.3"));
    return log;
  };

  it("names the rule, the place, the object and other places", () => {
    expect(run([WITHOUT_PLACE, DIAGNOSTIC])).toMatchObject({
      version: "2.1.0",
      runs: [
        {
          tool: {
            driver: {
              version: "1.2.3",
              rules: [{ id: "FILE_MISSING" }, { id: "FIELD_INVALID" }],
            },
          },
          results: [
            { ruleId: "FILE_MISSING", ruleIndex: 0, level: "warning", locations: [{}] },
            {
              ...{ ruleId: "FIELD_INVALID", ruleIndex: 1, level: "error" },
              message: { text: "50% is no\\u000aport\ncorrect it" },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: "my%2C%20files/a%3Ab.yaml" },
                    region: { startLine: 3, startColumn: 5 },
                  },
                  logicalLocations: [{ fullyQualifiedName: "Service shop/web spec.ports[0]" }],
                },
              ],
              relatedLocations: [
                { physicalLocation: { artifactLocation: { uri: "file:///x%20y.yaml" } } },
              ],
            },
          ],
        },
      ],
    });
  });

  it.each([[formatGithub([DIAGNOSTIC])], [formatSarif([DIAGNOSTIC], "")]])(
    "no form holds excerpts of files",
    (text) => {
      expect(text).not.toContain("password");
    },
  );

  it("without problems has no results", () => {
    expect(run([])).toMatchObject({ runs: [{ results: [] }] });
  });
});
