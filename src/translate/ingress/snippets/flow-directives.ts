/** Readers of nginx's rewrite module: rewrite, return, set, if, break. What can't be read closes, since it may have kept requests out. */
import { type FlowStep, type FlowTest, isRedirectStatus } from "../../../model/filters.js";
import type { Interpolation } from "../../../model/values.js";
import { type Result, ok, problem } from "../../../support/result.js";
import { isUrlText, isVariable } from "../../auth/template.js";
import { regexProblem } from "../../pattern/regex.js";
import { isRedirecting, readLocation, readReplacement } from "../annotations/written-texts.js";
import { shownWord } from "./parse.js";
import {
  CAPTURES,
  type DirectiveReader,
  type SnippetReading,
  readText,
  slotsOf,
  withUsualNames,
} from "./reading.js";

const MOST_VARIABLES = 32;

function fail(into: SnippetReading, name: string, clause: string): void {
  into.problems.push(clause);
  into.closing.push(name);
}

export const readSet: DirectiveReader = ([written = "", value, ...more], into) => {
  const name = /^\$(\w+)$/.exec(written)?.[1];
  if (name === undefined || value === undefined || more.length > 0) {
    fail(into, "set", "takes a variable and a value");
    return;
  }
  if (isVariable(name) || into.variables.size >= MOST_VARIABLES) {
    fail(into, "set", `can't set ${shownWord(written)}`);
    return;
  }
  const read = readText(value, into);
  if (!read.ok) {
    fail(into, "set", read.problem);
    return;
  }
  const slot = into.variables.get(name) ?? CAPTURES + into.variables.size;
  const isNew = !into.variables.has(name);
  into.variables.set(name, slot);
  if (!isWritten(read.value, into)) into.written.delete(slot);
  else if (isNew) into.written.add(slot);
  into.flow.push(["set", slot, read.value]);
};

/** Whether it is URL text as a whole. $uri is decoded. */
function isWritten(value: Interpolation, { written }: SnippetReading): boolean {
  return value.every((part) => {
    if (typeof part === "string") return true;
    const [name] = part;
    return typeof name === "number" ? written.has(name) : name !== "uri" && isUrlText(name);
  });
}

/** The next captures are parts of the text. */
function noteCaptures(subject: Interpolation, into: SnippetReading): void {
  const isText = isWritten(subject, into);
  for (let group = 0; group < CAPTURES; group += 1) {
    if (isText) into.written.add(group);
    else into.written.delete(group);
  }
}

const URI: Interpolation = [["uri", "raw"]];

export const readRewrite: DirectiveReader = ([pattern = "", text, flag = "", ...more], into) => {
  if (text === undefined || more.length > 0 || !/^(?:|last|break|redirect|permanent)$/.test(flag)) {
    fail(into, "rewrite", "takes an expression, a text and perhaps a flag");
    return;
  }
  const wrong = regexProblem(pattern);
  if (wrong !== undefined) {
    fail(into, "rewrite", `can't be read: ${wrong}`);
    return;
  }
  noteCaptures(URI, into);
  const step = rewriteStep(text, flag, into);
  if (!step.ok) {
    fail(into, "rewrite", `can't be read: its text ${step.problem}`);
    return;
  }
  into.flow.push(["if", URI, ["regex", pattern, ""], 1, 0], step.value);
};

function rewriteStep(written: string, flag: string, into: SnippetReading): Result<FlowStep> {
  const text = withUsualNames(written);
  const isAnswer = flag === "redirect" || flag === "permanent" || isRedirecting(text);
  const read = isAnswer ? readUrl(text, into) : readReplacement(text, slotsOf(into));
  if (!read.ok) return read;
  if (!isAnswer) {
    return ok(["rewrite", read.value.text, flag === "last" || flag === "break" ? flag : ""]);
  }
  const status = flag === "permanent" ? 301 : 302;
  // nginx appends the client's query unless the text ends with `?`.
  const keepsQuery = !text.endsWith("?") && { keepsQuery: true as const };
  return ok(["redirect", { status, url: read.value.text, ...keepsQuery }]);
}

export const readBreak: DirectiveReader = (_args, into) => {
  into.flow.push(["break"]);
};

/** Stands for a line break; no snippet of an API server has it. */
const BREAK = "\uE000";

export const readReturn: DirectiveReader = (args, into) => {
  const step = returnStep(args, into);
  if (step.ok) into.flow.push(step.value);
  else fail(into, "return", step.problem);
};

function returnStep(
  [first = "", text, ...more]: readonly string[],
  into: SnippetReading,
): Result<FlowStep> {
  if (more.length > 0) return problem("takes a status and a text or URL");
  if (text === undefined && /^(?:https?:\/\/|\$scheme|\$\{scheme\})/i.test(first)) {
    return redirectStep(302, first, into);
  }
  const status = /^\d{3}$/.test(first) ? Number(first) : 0;
  if (isRedirectStatus(status)) return redirectStep(status, text ?? "", into);
  if (status < 200 || status > 599) return problem(`can't answer ${shownWord(first)}`);
  return textStep(status, text ?? "", into);
}

/** Its line breaks, which no header may have, are put back. */
function textStep(status: number, text: string, into: SnippetReading): Result<FlowStep> {
  const read = readText(text.replaceAll("\r", "").replaceAll("\n", BREAK), into);
  if (!read.ok) return read;
  const body = read.value.map((part) =>
    typeof part === "string" ? part.replaceAll(BREAK, "\n") : part,
  );
  return ok(["return", status, body, into.contentType]);
}

function redirectStep(
  status: 301 | 302 | 303 | 307 | 308,
  url: string,
  into: SnippetReading,
): Result<FlowStep> {
  const read = readUrl(withUsualNames(url), into);
  if (!read.ok) return problem(`can't be read: its URL ${read.problem}`);
  return ok(["redirect", { status, url: read.value.text }]);
}

/** A capture, or the client's own path, at the beginning of a URL begins its path; the data plane makes one slash of two. */
const PATH_FIRST = /^\$(?:\d|uri|request_uri|\{(?:uri|request_uri)\})/;

function readUrl(text: string, into: SnippetReading): ReturnType<typeof readLocation> {
  return readLocation(PATH_FIRST.test(text) ? `/${text}` : text, slotsOf(into));
}

const TESTS: ReadonlyMap<string, (operand: string, into: SnippetReading) => Result<FlowTest>> =
  new Map([
    ["=", (operand, into) => equality("eq", operand, into)],
    ["!=", (operand, into) => equality("ne", operand, into)],
    ["~", (operand) => expression("regex", operand, "")],
    ["~*", (operand) => expression("regex", operand, "i")],
    ["!~", (operand) => expression("noRegex", operand, "")],
    ["!~*", (operand) => expression("noRegex", operand, "i")],
  ]);

function equality(kind: "eq" | "ne", operand: string, into: SnippetReading): Result<FlowTest> {
  const read = readText(operand, into);
  return read.ok ? ok([kind, read.value]) : read;
}

function expression(kind: "regex" | "noRegex", pattern: string, flags: "" | "i"): Result<FlowTest> {
  const wrong = regexProblem(pattern);
  return wrong === undefined ? ok([kind, pattern, flags]) : problem(wrong);
}

export const readIf: DirectiveReader = (args, into, block = []) => {
  const condition = conditionOf(args, into);
  if (!condition.ok) {
    // Only what it holds tells whether it restricts.
    const dropped = { ...into, flow: [], changes: [], problems: [], idle: [], number: 1 };
    into.nested(block, dropped);
    into.problems.push(`can't be read: it ${condition.problem}`);
    if (dropped.flow.length > 0) into.closing.push("if");
    return;
  }
  const [subject, test] = condition.value;
  if (test[0] === "regex") noteCaptures(subject, into);
  const number = into.flow.length + 1;
  const flow: FlowStep[] = [];
  into.nested(block, { ...into, flow, number });
  into.flow.push(["if", subject, test, flow.length, number], ...flow);
};

function conditionOf(
  args: readonly string[],
  into: SnippetReading,
): Result<readonly [Interpolation, FlowTest]> {
  const words = withoutParentheses(args);
  const [subject = "", operator, operand, ...more] = words ?? [];
  if (words === undefined || !/^\$\w+$/.test(subject) || more.length > 0) {
    return problem("is no condition on a variable");
  }
  const read = readText(subject, into);
  if (!read.ok) return read;
  if (operator === undefined) return ok([read.value, ["on"]]);
  const testOf = TESTS.get(operator);
  if (testOf === undefined || operand === undefined) return problem("has another test");
  const test = testOf(operand, into);
  return test.ok ? ok([read.value, test.value]) : test;
}

/** Undefined: they are not around the words. */
function withoutParentheses(args: readonly string[]): readonly string[] | undefined {
  const [first = "", ...rest] = args;
  const last = args.at(-1) ?? "";
  if (!first.startsWith("(") || !last.endsWith(")")) return undefined;
  if (rest.length === 0) return [first.slice(1, -1)];
  const start = first === "(" ? [] : [first.slice(1)];
  const end = last === ")" ? [] : [last.slice(0, -1)];
  return [...start, ...rest.slice(0, -1), ...end];
}
