/** Texts with variables and changes of headers, as a terminal shows them. */
import type { FlowStep, HeaderChanges, HeaderStep } from "../model/filters.js";
import type { Interpolation } from "../model/values.js";

export function formatText(interpolation: Interpolation): string {
  return interpolation
    .map((part) => (typeof part === "string" ? part : `\${${String(part[0])}}`))
    .join("");
}

export function formatStep(message: string, step: HeaderStep): readonly string[] {
  const { adds, headers, ifPresent, statuses, types, ofBackend, ifs } = step;
  const when = [
    ...(ifs ? [` by if ${ifs.join(" ")}`] : []),
    ...(ifPresent ? [" if there is one"] : []),
    ...(ofBackend ? [" of backends"] : []),
    ...(statuses ? [`, status ${statuses.join(" ")}`] : []),
    ...(types ? [`, type ${types.join(" ")}`] : []),
  ].join("");
  return headers.map(([name, value]) => {
    const text = formatText(value);
    const change = adds ? `added: ${text}` : text === "" ? "removed" : `set to ${text}`;
    return `${message} header ${name} ${change}${when}`;
  });
}

/** A step of a snippet's rewrite phase; those of an `if` come after it. */
export function formatFlowStep(step: FlowStep): string {
  switch (step[0]) {
    case "set":
      return `snippet: set \${${String(step[1])}} to ${formatText(step[2])}`;
    case "if": {
      const [, subject, [test, operand = ""], skip] = step;
      const text = typeof operand === "string" ? operand : formatText(operand);
      return `snippet: next ${String(skip)} if ${formatText(subject)} ${test} ${text}`.trimEnd();
    }
    case "return":
      return `snippet: return ${String(step[1])} ${formatText(step[2])}`.trimEnd();
    case "redirect":
      return `snippet: return ${String(step[1].status)} ${formatText(step[1].url ?? [])}`;
    case "rewrite":
      return `snippet: rewrite to ${formatText(step[1])} ${step[2]}`.trimEnd();
    case "break":
      return "snippet: break";
  }
}

export function formatHeaders(
  message: string,
  changes: HeaderChanges | undefined,
): readonly string[] {
  const { set = [], add = [], remove = [] } = changes ?? {};
  return [
    ...set.map(([name, value]) => `${message} header ${name} set to ${value}`),
    ...add.map(([name, value]) => `${message} header ${name} added: ${value}`),
    ...remove.map((name) => `${message} header ${name} removed`),
  ];
}
