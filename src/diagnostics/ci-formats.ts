/** Diagnostics in the forms that code hosts show beside the lines of a change. Neither holds excerpts of files. */
import type { Log, ReportingDescriptor, Result, Location as SarifLocation } from "sarif";
import { DIAGNOSTIC_CATALOG, type DiagnosticCode, type Severity } from "./catalog.js";
import { type Diagnostic, type SourceLocation, formatFieldPath } from "./diagnostic.js";
import { visible, visibleJson } from "../support/text.js";
import { formatResource } from "./format.js";

const COMMANDS: Readonly<Record<Severity, string>> = {
  error: "error",
  warning: "warning",
  info: "notice",
};

/**
 * Workflow commands of GitHub Actions, one per line, which become annotations of a pull request.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */
export function formatGithub(diagnostics: readonly Diagnostic[]): string {
  return diagnostics
    .map(({ location, ...diagnostic }) => {
      const place = location && [
        `file=${asProperty(location.file)}`,
        `line=${String(location.line)}`,
        `col=${String(location.column)}`,
      ];
      const properties = [...(place ?? []), `title=${diagnostic.code}`].join(",");
      return `::${COMMANDS[diagnostic.severity]} ${properties}::${asData(fullText(diagnostic))}\n`;
    })
    .join("");
}

function asData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function asProperty(text: string): string {
  return asData(visible(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

const LEVELS = { error: "error", warning: "warning", info: "note" } as const;

/** One SARIF log, for code scanning. https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
export function formatSarif(diagnostics: readonly Diagnostic[], version: string): string {
  const codes = [...new Set(diagnostics.map(({ code }) => code))];
  const log: Log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "albc", version, rules: codes.map(rule) } },
        columnKind: "unicodeCodePoints",
        results: diagnostics.map((diagnostic) =>
          result(diagnostic, codes.indexOf(diagnostic.code)),
        ),
      },
    ],
  };
  return `${visibleJson(log, 2)}\n`;
}

function rule(code: DiagnosticCode): ReportingDescriptor {
  const { severity, title, explanation, hint } = DIAGNOSTIC_CATALOG[code];
  return {
    id: code,
    shortDescription: { text: title },
    fullDescription: { text: explanation },
    help: { text: hint },
    defaultConfiguration: { level: LEVELS[severity] },
  };
}

function result(diagnostic: Diagnostic, ruleIndex: number): Result {
  const { code, severity, resource, field, location, related } = diagnostic;
  const object = resource && {
    name: resource.name,
    fullyQualifiedName: formatResource(resource) + (field ? ` ${formatFieldPath(field)}` : ""),
    kind: "resource",
  };
  return {
    ...{ ruleId: code, ruleIndex, level: LEVELS[severity] },
    message: { text: fullText(diagnostic) },
    locations: [
      { ...(location && physical(location)), ...(object && { logicalLocations: [object] }) },
    ],
    ...(related && {
      relatedLocations: related.map((other, id) => ({
        ...{ id, message: { text: other.message } },
        ...physical(other.location),
      })),
    }),
  };
}

function physical({ file, line, column }: SourceLocation): SarifLocation {
  const path = file.split("/").map(encodeURIComponent).join("/");
  const uri = path.startsWith("/") ? `file://${path}` : path;
  return {
    physicalLocation: {
      artifactLocation: { uri },
      region: { startLine: line, startColumn: column },
    },
  };
}

/** Problem and advice, a line each. */
function fullText({ message, hint }: Diagnostic): string {
  return [message, ...(hint === undefined ? [] : [hint])].map(visible).join("\n");
}
