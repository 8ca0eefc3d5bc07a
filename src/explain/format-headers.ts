/** Texts with variables and changes of headers, as a terminal shows them. */
import type { HeaderChanges, HeaderStep } from "../model/filters.js";
import type { Interpolation } from "../model/values.js";

export function formatText(interpolation: Interpolation): string {
  return interpolation
    .map((part) => (typeof part === "string" ? part : `\${${String(part[0])}}`))
    .join("");
}

export function formatStep(message: string, step: HeaderStep): readonly string[] {
  const { adds, headers, ifPresent, statuses, types, ofBackend } = step;
  const when = [
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
