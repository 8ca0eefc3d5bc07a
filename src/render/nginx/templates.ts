/**
 * Loads and compiles templates/ once. The engine is closed: one helper of ours (`text`), which prints nothing but
 * NginxText, and of the built-in ones only those that choose and repeat. test/templates checks the files themselves.
 */
import { readdirSync, readFileSync } from "node:fs";
import Handlebars from "handlebars";
import { isNginxText } from "./text.js";

/** The same from src/ and from dist/: templates/ stands beside either. */
const FOLDER = new URL("../../../templates/", import.meta.url);
const SUFFIX = ".conf.hbs";

const OPTIONS: Parameters<typeof Handlebars.compile>[1] = {
  strict: true,
  noEscape: true,
  knownHelpersOnly: true,
  knownHelpers: { text: true },
};

/** The files, by template. */
export type TemplateName = "nginx" | "endpoints";

/** Fills templates/<name>.conf.hbs; a value that is not NginxText, or a missing one, is an exception. */
export function fillTemplate(name: TemplateName, view: object): string {
  // Handlebars indents the empty lines of partials, too. No parameter ends with a line, so none is touched.
  return templates[name](view, { helpers: { text: printText } }).replace(/(?<! ) +$/gm, "");
}

const templates = load();

function load(): Readonly<Record<TemplateName, Handlebars.TemplateDelegate>> {
  const engine = Handlebars.create();
  const partials = new URL("partials/", FOLDER);
  for (const file of readdirSync(partials).filter((name) => name.endsWith(SUFFIX))) {
    const source = readFileSync(new URL(file, partials), "utf8");
    engine.registerPartial(file.slice(0, -SUFFIX.length), engine.compile(source, OPTIONS));
  }
  const compile = (name: TemplateName): Handlebars.TemplateDelegate =>
    engine.compile(readFileSync(new URL(`${name}${SUFFIX}`, FOLDER), "utf8"), OPTIONS);
  return { nginx: compile("nginx"), endpoints: compile("endpoints") };
}

/** `strict` does not guard the arguments of helpers, so this does. */
function printText(value: unknown): string {
  if (!isNginxText(value)) throw new Error("a template printed what is not NginxText");
  return value.toString();
}
