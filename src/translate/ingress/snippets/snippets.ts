/** Snippets of nginx configuration, translated directive by directive (docs/annotations.md, Snippets); their text goes nowhere. */
import type { Report } from "../../../diagnostics/sink.js";
import type { HeaderStep } from "../../../model/filters.js";
import type { CompileOptions } from "../../../model/options.js";
import type { Route } from "../../../model/route.js";
import { memoized } from "../../../support/collections.js";
import { SHARED_SHAPE, filled } from "../../../support/json-object.js";
import { listed, shortened } from "../../../support/text.js";
import { variableCount } from "../../auth/template.js";
import { isHost } from "../../http/headers.js";
import { restrictionProblem } from "../../reasons.js";
import { MOST_HEADER_TEXT, MOST_HEADER_VARIABLES, tooMany } from "../../size-limits.js";
import type { AnnotationLookup } from "../annotations/annotation-reader.js";
import { SNIPPETS, type SnippetName, findDirective, isHarmless } from "./directives.js";
import { type SnippetReading, type Stage, isOfRequest } from "./header-directives.js";
import { type Directive, parseSnippet, shownWord } from "./parse.js";
import { restricts, snippetRestrictions } from "./restrictions.js";

export function isSnippet(name: string): name is SnippetName {
  return SNIPPETS.some((snippet) => snippet === name);
}

const MOST_NAMED = 5;

/** What is to be said of a snippet under `snippets: translate`. */
export function snippetReports(
  name: SnippetName,
  text: string,
  options: CompileOptions,
): readonly Report[] {
  const { problems, idle } = read(name, text);
  const reports: Report[] = [];
  if (name !== "auth-snippet") reports.push(...restrictionReport(name, text, options));
  if (problems.length > 0) {
    const message = `${name}: ${listed([...new Set(problems)])}`;
    reports.push({ code: "SNIPPET_UNSUPPORTED", message });
  }
  if (idle.length > 0) {
    const message = `${name}: ${listed([...new Set(idle)])}`;
    reports.push({ code: "SNIPPET_WITHOUT_EFFECT", message });
  }
  return reports;
}

function restrictionReport(
  name: SnippetName,
  text: string,
  options: CompileOptions,
): readonly Report[] {
  if (!restricts(snippetRestrictions(text))) return [];
  const names = shortened([...new Set(restricting(parseSnippet(text).directives))], MOST_NAMED);
  const what = `${name}: ${names} may restrict access, and can't be translated.`;
  return [restrictionProblem(what, options)];
}

/** Names of the directives that may restrict. */
function restricting(directives: readonly Directive[]): readonly string[] {
  return directives.flatMap(({ name, block = [] }) => [
    ...(isHarmless(name) || name === "location" ? [] : [shownWord(name)]),
    ...restricting(block),
  ]);
}

function read(snippet: SnippetName, text: string): SnippetReading {
  const reading: SnippetReading = { changes: [], problems: [], idle: [] };
  const parsed = parseSnippet(text);
  if (parsed.problem !== undefined) {
    return { ...reading, problems: [`nothing is done, since it ${parsed.problem}`] };
  }
  for (const directive of parsed.directives) readDirective(snippet, directive, reading);
  const excess = sizeProblem(reading);
  if (excess === undefined) return reading;
  const changes = reading.changes.flatMap((change) => withoutValues(change));
  return { ...reading, changes, problems: [`nothing is done, since it ${excess}`] };
}

/** A request is without the headers, so that its reader does not take the client's own for them. */
function withoutValues({
  stage,
  step,
}: SnippetReading["changes"][number]): SnippetReading["changes"] {
  if (!isOfRequest(stage)) return [];
  const headers = step.headers.filter(([name]) => !isHost(name));
  return [{ stage, step: { headers: headers.map(([name]) => [name, []]) } }];
}

function readDirective(
  snippet: SnippetName,
  { name, args, block }: Directive,
  into: SnippetReading,
): void {
  const row = block === undefined ? findDirective(name) : undefined;
  const reader = row?.read[snippet];
  if (row?.idleIn.includes(snippet) === true) into.idle.push(`${name} never had an effect`);
  else if (reader === undefined) {
    // Those that may restrict have a report of their own.
    if (isHarmless(name) || name === "location" || snippet === "auth-snippet") {
      into.problems.push(`${shownWord(name)} is not translated`);
    }
  } else {
    const found: SnippetReading = { changes: into.changes, problems: [], idle: [] };
    reader(args, found);
    into.problems.push(...found.problems.map((clause) => `${name} ${clause}`));
    into.idle.push(...found.idle);
  }
}

/** Each path and each request pays for it. */
function sizeProblem({ changes }: SnippetReading): string | undefined {
  let size = 0;
  let variables = 0;
  for (const [name, value] of changes.flatMap(({ step }) => step.headers)) {
    size += name.length;
    for (const part of value) size += typeof part === "string" ? part.length : 0;
    variables += variableCount(value);
  }
  return (
    tooMany(size, MOST_HEADER_TEXT, "characters of headers") ??
    tooMany(variables, MOST_HEADER_VARIABLES, "variables in its values")
  );
}

type Steps = Pick<Route, "requestSteps" | "responseSteps">;

/** The changes of headers that the snippets of a path make; none unless snippets are translated. */
export function readSnippets(
  lookup: AnnotationLookup,
  { snippets }: Pick<CompileOptions, "snippets">,
): Steps {
  return snippets === "translate" ? stepsOf(lookup) : SHARED_SHAPE;
}

/** Thousands of paths share a lookup. */
const stepsOf = memoized((lookup: AnnotationLookup): Steps => {
  const host = changesOf(lookup, "server-snippet");
  const path = changesOf(lookup, "configuration-snippet");
  const both = (stage: Stage) => [...stepsAt(stage, host), ...stepsAt(stage, path)];
  const nearest = (stage: Stage) => stepsAt(stage, has(stage, path) ? path : host);
  // ingress-nginx gives a path with auth-url an add_header of its own.
  const isAsked = (lookup.find({ name: "auth-url" })?.value.trim() ?? "") !== "";
  const added = isAsked ? stepsAt("added", path) : nearest("added");
  return {
    ...filled("requestSteps", [...both("input"), ...both("sent")]),
    ...filled("responseSteps", [
      ...nearest("hidden"),
      ...both("shown"),
      ...nearest("expires"),
      ...added,
    ]),
  };
});

/** The headers for the auth service, which an auth-snippet sets. */
export function authSnippetHeaders(text: string): HeaderStep["headers"] {
  return read("auth-snippet", text).changes.flatMap(({ step }) => step.headers);
}

function changesOf(lookup: AnnotationLookup, name: SnippetName): SnippetReading["changes"] {
  const text = lookup.find({ name })?.value.trim() ?? "";
  return text === "" ? [] : read(name, text).changes;
}

function has(stage: Stage, changes: SnippetReading["changes"]): boolean {
  return changes.some((change) => change.stage === stage);
}

function stepsAt(stage: Stage, changes: SnippetReading["changes"]): readonly HeaderStep[] {
  return changes.flatMap((change) =>
    change.stage === stage && change.step.headers.length > 0 ? [change.step] : [],
  );
}
