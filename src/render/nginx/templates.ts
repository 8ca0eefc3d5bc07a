/**
 * Loads and compiles templates/ once. Templates have one helper, `text`, which prints only NginxText; of the built-in helpers they use
 * only `if`, `unless` and `each`. test/templates checks the files.
 */
import { readdirSync, readFileSync } from "node:fs";
import Handlebars from "handlebars";
import { isNginxText } from "./text.js";

/** templates/ is next to src/ and next to dist/. */
const FOLDER = new URL("../../../templates/", import.meta.url);
const SUFFIX = ".conf.hbs";

const OPTIONS: Parameters<typeof Handlebars.compile>[1] = {
  strict: true,
  noEscape: true,
  knownHelpersOnly: true,
  knownHelpers: { text: true },
};

/** Fills templates/<name>.conf.hbs; throws if a value is missing or is not NginxText. */
export function fillTemplate(name: keyof typeof templates, view: object): string {
  // Handlebars also indents empty lines of partials. No parameter ends at the end of a line, so this changes none.
  return templates[name](view, { helpers: { text: printText } }).replace(/(?<! ) +$/gm, "");
}

const templates = load();

function load(): Readonly<Record<"nginx" | "endpoints", Handlebars.TemplateDelegate>> {
  const engine = Handlebars.create();
  const partials = new URL("partials/", FOLDER);
  for (const file of readdirSync(partials).filter((name) => name.endsWith(SUFFIX))) {
    const source = readFileSync(new URL(file, partials), "utf8");
    engine.registerPartial(file.slice(0, -SUFFIX.length), engine.compile(source, OPTIONS));
  }
  const compile = (name: string): Handlebars.TemplateDelegate =>
    engine.compile(readFileSync(new URL(`${name}${SUFFIX}`, FOLDER), "utf8"), OPTIONS);
  return { nginx: compile("nginx"), endpoints: compile("endpoints") };
}

/** Handlebars' `strict` does not check the arguments of helpers. */
function printText(value: unknown): string {
  if (!isNginxText(value)) throw new Error("a template printed what is not NginxText");
  return value.toString();
}
