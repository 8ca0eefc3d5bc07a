/** Snippets of nginx configuration, translated directive by directive (docs/annotations.md, Snippets); their text goes nowhere. */
import type { Report } from "../../../diagnostics/sink.js";
import type { FlowStep, HeaderStep } from "../../../model/filters.js";
import type { CompileOptions } from "../../../model/options.js";
import type { PathMatch, Route } from "../../../model/route.js";
import { memoized } from "../../../support/collections.js";
import { filled } from "../../../support/json-object.js";
import { listed, shortened } from "../../../support/text.js";
import { isHost } from "../../http/headers.js";
import { restrictionProblem } from "../../reasons.js";
import type { AnnotationLookup } from "../annotations/annotation-reader.js";
import { ALL, accessLists, contentTypeOf } from "./access-directives.js";
import { SNIPPETS, type SnippetName, findDirective, isHarmless } from "./directives.js";
import { isOfRequest } from "./header-directives.js";
import { type Directive, type ParsedSnippet, parseSnippet, shownWord } from "./parse.js";
import type { HeaderChange, SnippetReading, Stage } from "./reading.js";
import { numberProblem, sizeProblem } from "./reading-size.js";
import { type SnippetRestrictions, snippetRestrictions } from "./restrictions.js";

export function isSnippet(name: string): name is SnippetName {
  return SNIPPETS.some((snippet) => snippet === name);
}

const MOST_NAMED = 5;

/** What is to be said of a snippet under `snippets: translate`. `before`: the server-snippet of its Ingress, whose variables it may use. */
export function snippetReports(
  name: SnippetName,
  text: string,
  options: CompileOptions,
  before: string,
): readonly Report[] {
  const { problems, idle, closing } = readAfter(name, text, before);
  const reports: Report[] = [];
  if (closing.length > 0 && name !== "auth-snippet") {
    const names = shortened([...new Set(closing.map(shownWord))], MOST_NAMED);
    const what = `${name}: ${names} may restrict access, and can't be translated.`;
    reports.push(restrictionProblem(what, options));
  }
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

/** What a snippet closes: what it restricts and can't be done. */
export function closedBySnippet(
  name: SnippetName,
  text: string,
  { snippets }: Pick<CompileOptions, "snippets">,
  before: string,
): SnippetRestrictions {
  if (snippets !== "translate") return snippetRestrictions(text);
  const { closing, locations } = readAfter(name, text, before);
  const closed = locations.filter(({ reading }) => reading.closing.length > 0);
  return {
    isWhole: closing.length > closed.flatMap(({ reading }) => reading.closing).length,
    locations: closed.map(({ match }) => match),
  };
}

const EMPTY_TYPE = "text/html";

/** The variables of a server-snippet are known to the snippets of the paths. */
function readAfter(name: SnippetName, text: string, before: string): SnippetReading {
  const host = name === "configuration-snippet" && before !== "" && read("server-snippet", before);
  return read(name, text, host === false ? undefined : host);
}

function read(snippet: SnippetName, text: string, host?: SnippetReading): SnippetReading {
  const parsed = parseSnippet(text);
  const reading: SnippetReading = {
    ...{ changes: [], flow: [], access: [], locations: [], satisfy: [] },
    ...{ problems: [], idle: [], closing: [], number: 0 },
    variables: new Map(host?.variables),
    written: new Set(host?.written),
    contentType: contentTypeOf(parsed.directives) ?? EMPTY_TYPE,
    nested: (block, into) => {
      const place = into.number > 0 ? snippet : "configuration-snippet";
      for (const directive of block) readDirective(place, directive, into);
    },
  };
  if (parsed.problem !== undefined) return unread(reading, text, parsed);
  for (const directive of parsed.directives) readDirective(snippet, directive, reading);
  for (const { reading: inner } of reading.locations) {
    checkAccess(inner);
    reading.closing.push(...inner.closing);
  }
  checkAccess(reading);
  const number = numberProblem(reading);
  const excess = number ?? sizeProblem(reading);
  if (excess === undefined) return reading;
  const cut = (changes: readonly HeaderChange[]): HeaderChange[] =>
    number === undefined ? changes.flatMap((change) => withoutValues(change)) : [];
  const changes = cut(reading.changes);
  const locations = reading.locations.map((location) => ({
    ...location,
    reading: { ...location.reading, changes: cut(location.reading.changes) },
  }));
  const closing = reading.flow.length > 0 ? ["if"] : reading.closing;
  return {
    ...reading,
    ...{ changes, locations, closing, flow: [], problems: [`nothing is done, since it ${excess}`] },
  };
}

/** nginx would refuse it; what can be made out of it still restricts. */
function unread(
  reading: SnippetReading,
  text: string,
  { directives, problem }: ParsedSnippet,
): SnippetReading {
  const { isWhole, locations } = snippetRestrictions(text);
  const names = isWhole || locations.length > 0 ? [...restricting(directives)] : [];
  return {
    ...reading,
    closing: names,
    locations: isWhole
      ? []
      : locations.map((match) => ({
          match,
          isFirst: false,
          reading: { ...reading, closing: names },
        })),
    problems: [`nothing is done, since it ${problem ?? ""}`],
  };
}

function checkAccess(reading: SnippetReading): void {
  if (accessLists(reading.access) !== undefined) return;
  reading.closing.push("allow");
  reading.problems.push("deny after allow can't be translated, except deny all");
}

/** Names of the directives that may restrict. */
function restricting(directives: readonly Directive[]): readonly string[] {
  return directives.flatMap(({ name, block = [] }) => [
    ...(isHarmless(name) || name === "location" ? [] : [name]),
    ...restricting(block),
  ]);
}

/** A request is without the headers, so that its reader does not take the client's own for them. */
function withoutValues({ stage, step, number }: HeaderChange): readonly HeaderChange[] {
  if (!isOfRequest(stage)) return [];
  const headers = step.headers.filter(([name]) => !isHost(name));
  return [{ stage, step: { headers: headers.map(([name]) => [name, []]) }, number }];
}

function readDirective(
  snippet: SnippetName,
  { name, args, block }: Directive,
  into: SnippetReading,
): void {
  const row = findDirective(name);
  const reader = row?.read[snippet];
  const isInIf = into.number > 0;
  if (row?.idleIn.includes(snippet) === true) into.idle.push(`${name} never had an effect`);
  else if (reader === undefined || (row?.block === true) !== (block !== undefined)) {
    leaveOut({ name, block }, snippet, into, "is not translated");
  } else if (isInIf && (row?.inIf !== true || isForPath(snippet, name))) {
    leaveOut({ name, block }, snippet, into, "is refused by nginx in an if");
  } else {
    const found: SnippetReading = { ...into, problems: [], idle: [] };
    reader(args, found, block);
    into.problems.push(...found.problems.map((clause) => `${name} ${clause}`));
    into.idle.push(...found.idle);
  }
}

/** Headers are for the `if` of a path. */
function isForPath(snippet: SnippetName, name: string): boolean {
  return snippet === "server-snippet" && /header|^expires$/.test(name);
}

function leaveOut(
  { name, block = [] }: { readonly name: string; readonly block: Directive["block"] | undefined },
  snippet: SnippetName,
  into: SnippetReading,
  why: string,
): void {
  into.problems.push(`${shownWord(name)} ${why}`);
  if (snippet !== "auth-snippet" && (!isHarmless(name) || restricting(block).length > 0)) {
    into.closing.push(name);
  }
}

type Settings = Pick<
  Route,
  "hostFlow" | "flow" | "requestSteps" | "responseSteps" | "allow" | "deny" | "satisfy"
>;

type Annotated = Pick<Route, "bodyLimit" | "allow" | "deny" | "satisfy">;

/** What the snippets of a path do, nothing unless snippets are translated, and what its annotations restrict (`annotated`). */
export function readSnippets(
  lookup: AnnotationLookup,
  { snippets }: Pick<CompileOptions, "snippets">,
  annotated: Annotated,
): Settings & Annotated {
  if (snippets !== "translate") return annotated;
  const settings = settingsOfPath(lookup);
  const { allow, deny } = annotated;
  // nginx tries the rules of the annotation first, and an allowlist ends with `deny all`.
  if (allow !== undefined) return { ...settings, ...annotated };
  return {
    ...annotated,
    ...settings,
    ...filled("deny", [...(deny ?? []), ...(settings.deny ?? [])]),
  };
}

/** Thousands of paths share a lookup. */
const settingsOfPath = memoized((lookup: AnnotationLookup): Settings => {
  const host = readingOf(lookup, "server-snippet");
  const path = readingOf(lookup, "configuration-snippet", host);
  return settingsOf(host, path, (lookup.find({ name: "auth-url" })?.value.trim() ?? "") !== "");
});

/** A location of the host, as a server-snippet says. */
export interface HostLocation {
  readonly match: PathMatch;
  readonly isFirst: boolean;
  readonly settings: Settings;
}

const NO_LOCATIONS: readonly HostLocation[] = [];

/** The locations of a server-snippet that are translated; `annotation-problems.ts` closes the others. */
export function hostLocations(
  lookup: AnnotationLookup,
  { snippets }: Pick<CompileOptions, "snippets">,
): readonly HostLocation[] {
  return snippets === "translate" ? locationsOf(lookup) : NO_LOCATIONS;
}

const locationsOf = memoized((lookup: AnnotationLookup): readonly HostLocation[] => {
  const host = readingOf(lookup, "server-snippet");
  const open = host.locations.filter(({ reading }) => reading.closing.length === 0);
  return open.map(({ match, isFirst, reading }) => {
    const settings = settingsOf(host, reading, false);
    const [first] = reading.flow;
    // The lists also say that the path is restricted, to what compares readings of a path.
    const isRefusing = first?.[0] === "return" && first[1] >= 400;
    return { match, isFirst, settings: { ...settings, ...(isRefusing && { deny: ALL }) } };
  });
});

/** `isAsked`: ingress-nginx gives a path with auth-url an add_header of its own. */
function settingsOf(host: SnippetReading, path: SnippetReading, isAsked: boolean): Settings {
  const both = (stage: Stage) => [...stepsAt(stage, host), ...stepsAt(stage, path)];
  const nearest = (stage: Stage, outer = host) => nearestSteps(stage, outer, path);
  const none = { ...host, changes: [] };
  const access = path.access.length > 0 ? path.access : host.access;
  return {
    ...filled("hostFlow", host.flow),
    ...filled("flow", path.flow),
    ...accessLists(access),
    ...([...host.satisfy, ...path.satisfy].length > 0 && { satisfy: "any" }),
    ...filled("requestSteps", [...both("input"), ...both("sent")]),
    ...filled("responseSteps", [
      ...nearest("hidden"),
      ...both("shown"),
      ...nearest("expires"),
      ...nearest("added", isAsked ? none : host),
    ]),
  };
}

/** The headers for the auth service, which an auth-snippet sets. */
export function authSnippetHeaders(text: string): HeaderStep["headers"] {
  return read("auth-snippet", text).changes.flatMap(({ step }) => step.headers);
}

function readingOf(
  lookup: AnnotationLookup,
  name: SnippetName,
  host?: SnippetReading,
): SnippetReading {
  return read(name, lookup.find({ name })?.value.trim() ?? "", host);
}

/** An `if` with a change of the stage has none of those around it. */
function nearestSteps(
  stage: Stage,
  host: SnippetReading,
  path: SnippetReading,
): readonly HeaderStep[] {
  const ofPath = path.changes.filter((change) => change.stage === stage);
  const own = new Set(ofPath.map(({ number }) => number));
  const outer = own.has(0) ? ofPath.filter(({ number }) => number === 0) : host.changes;
  const ifs = [0, ...numbersOf(path.flow)].filter((number) => number === 0 || !own.has(number));
  const isHidden = [...own].some((number) => number > 0);
  return [
    ...stepsAt(stage, { changes: outer }).map((step) => (isHidden ? { ...step, ifs } : step)),
    ...stepsAt(stage, { changes: ofPath.filter(({ number }) => number > 0) }),
  ];
}

function numbersOf(flow: readonly FlowStep[]): readonly number[] {
  return flow.flatMap((step) => (step[0] === "if" && step[4] > 0 ? [step[4]] : []));
}

function stepsAt(
  stage: Stage,
  { changes }: Pick<SnippetReading, "changes">,
): readonly HeaderStep[] {
  return changes.flatMap(({ stage: of, step, number }) => {
    if (of !== stage || step.headers.length === 0) return [];
    return [number === 0 ? step : { ...step, ifs: [number] }];
  });
}
