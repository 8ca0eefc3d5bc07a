/** `make figures`: how far one walks in src to change one thing. It describes the code and fails nothing; CONTRIBUTING.md explains each. */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";

const SHORT = 60;
const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => join("src", name))
  .sort()
  .map(read);
const byPath = new Map(files.map((file) => [file.path, file]));
const lines = files.reduce((sum, file) => sum + file.lines, 0);

function read(path) {
  const text = readFileSync(path, "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const { statements } = source;
  const imports = statements.filter((each) => each.moduleSpecifier !== undefined);
  const ours = imports.flatMap(({ moduleSpecifier: { text: name } }) =>
    name.startsWith(".") ? [join(dirname(path), name).replace(/\.js$/, ".ts")] : [],
  );
  const isType = (each) => ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each);
  return {
    path,
    lines: text.split("\n").length - 1,
    imports: imports.length,
    types: statements.filter(isType).length,
    ours: [...new Set(ours)],
    names: statements.filter(isExported).flatMap(namesOf),
  };
}

function isExported(statement) {
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

function namesOf(statement) {
  if (!ts.isVariableStatement(statement)) return statement.name ? [statement.name.text] : [];
  return statement.declarationList.declarations.flatMap(({ name }) => name.text ?? []);
}

const chains = new Map();

/** The longest way along imports, this file first. */
function chainFrom(path) {
  const known = chains.get(path);
  if (known !== undefined) return known;
  chains.set(path, [path]);
  const below = (byPath.get(path)?.ours ?? []).map(chainFrom);
  const chain = [path, ...below.reduce((a, b) => (b.length > a.length ? b : a), [])];
  chains.set(path, chain);
  return chain;
}

function mutualFolders() {
  const pairs = new Set(
    files.flatMap(({ path, ours }) => ours.map((other) => `${dirname(path)} ${dirname(other)}`)),
  );
  return [...pairs].filter((pair) => {
    const [a, b] = pair.split(" ");
    return a < b && pairs.has(`${b} ${a}`);
  });
}

function namesOfTwo() {
  const found = new Map();
  for (const { path, names } of files)
    for (const name of new Set(names)) found.set(name, [...(found.get(name) ?? []), path]);
  return [...found]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name}: ${paths.join(", ")}`);
}

function shortWithOneImporter() {
  return files
    .filter(({ path, lines: count }) => {
      const importers = files.filter(({ ours }) => ours.includes(path));
      const isNextDoor = importers.length === 1 && dirname(importers[0].path) === dirname(path);
      return count < SHORT && isNextDoor;
    })
    .map(({ path, lines: count }) => `${path} (${String(count)} lines)`);
}

function show(what, value, goal, list = []) {
  console.log(`${what.padEnd(42)} ${String(value).padStart(7)}   ${goal}`);
  if (process.argv.includes("--list")) for (const each of list) console.log(`    ${each}`);
}

const per1000 = (field) =>
  ((1000 * files.reduce((sum, file) => sum + file[field], 0)) / lines).toFixed(1);
const longest = files
  .map(({ path }) => chainFrom(path))
  .reduce((a, b) => (b.length > a.length ? b : a));
const [folders, twice, short] = [mutualFolders(), namesOfTwo(), shortWithOneImporter()];

show("figure", "is", "goal");
show("files", files.length, "about 250");
show("lines", lines, "about 28000");
show("imports per 1,000 lines", per1000("imports"), "50 or less");
show("declarations of types per 1,000 lines", per1000("types"), "10 or less");
show(
  "longest chain of imports, files",
  longest.length,
  "15 or less",
  longest.map((path) => relative("src", path)),
);
show("pairs of folders that import each other", folders.length, "0", folders);
show("names that two files export", twice.length, "0", twice);
show(`files under ${String(SHORT)} lines with one importer, next door`, short.length, "0", short);
