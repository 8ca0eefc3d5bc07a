/** How much a snippet may be read into. */
import { variableCount } from "../../auth/template.js";
import {
  MOST_HEADER_TEXT,
  MOST_HEADER_VARIABLES,
  MOST_OPEN_HEADERS,
  tooMany,
  tooManyHeaders,
} from "../../size-limits.js";
import type { HeaderChange, SnippetReading } from "./reading.js";

const MOST_STEPS = 200;

/** Even removing so many would cost each request too much. */
export function numberProblem(reading: SnippetReading): string | undefined {
  const headers = allChanges(reading).flatMap(({ step }) => step.headers);
  const open = headers.filter(([name]) => name.endsWith("*")).length;
  return (
    tooManyHeaders(headers.length) ??
    tooMany(open, MOST_OPEN_HEADERS, "names of headers that end with *")
  );
}

/** With those of its locations. */
function allChanges({ changes, locations }: SnippetReading): readonly HeaderChange[] {
  return [changes, ...locations.map(({ reading }) => reading.changes)].flat();
}

/** Each path and each request pays for it. */
export function sizeProblem(reading: SnippetReading): string | undefined {
  const { flow, locations } = reading;
  const steps = [flow, ...locations.map((each) => each.reading.flow)].flat();
  let size = 0;
  let variables = 0;
  for (const [name, value] of allChanges(reading).flatMap(({ step }) => step.headers)) {
    size += name.length;
    for (const part of value) size += typeof part === "string" ? part.length : 0;
    variables += variableCount(value);
  }
  size += JSON.stringify(steps).length;
  return (
    tooMany(size, MOST_HEADER_TEXT, "characters of headers and conditions") ??
    tooMany(variables, MOST_HEADER_VARIABLES, "variables in its values") ??
    tooMany(steps.length, MOST_STEPS, "steps")
  );
}
