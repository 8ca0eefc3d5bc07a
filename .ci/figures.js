/** `make figures`: how much of src a change touches. The figures fail no check; CONTRIBUTING.md explains each. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import ts from "typescript";

const SHORT = 60;
const TESTED = 80;
const isListed = process.argv.includes("--list");
const files = sourcesIn("src").map(read);
const byPath = new Map(files.map((file) => [file.path, file]));
const lines = files.reduce((sum, file) => sum + file.lines, 0);

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name))
    .sort();
}

/** Of all that git has, golden files too. */
function testLines() {
  const paths = execFileSync("git", ["ls-files", "test", "e2e"], { encoding: "utf8" });
  const isLine = (byte) => byte === 10;
  return paths
    .split("\n")
    .filter((path) => path !== "" && existsSync(path))
    .reduce((sum, path) => sum + readFileSync(path).filter(isLine).length, 0);
}

function read(path) {
  const text = readFileSync(path, "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const { statements } = source;
  const imports = statements.filter((each) => each.moduleSpecifier !== undefined);
  const ours = imports.flatMap(({ moduleSpecifier: { text: name } }) =>
    name.startsWith(".") ? [join(dirname(path), name).replace(/\.js$/, ".ts")] : [],
  );
  const types = statements.filter(
    (each) => ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each),
  );
  return {
    path,
    text,
    lines: text.split("\n").length - 1,
    imports: imports.length,
    types: types.length,
    exportedTypes: types.filter(isExported).map(({ name }) => name.text),
    isCode: statements.some(
      (each) => ts.isFunctionDeclaration(each) || ts.isClassDeclaration(each),
    ),
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

/** Exported types whose name no other file has. Those of src/model are exported because the schema of policy.json names them. */
function typesOfOneFile() {
  const words = [...files, ...["test", "e2e"].flatMap(sourcesIn).map(read)].map(
    ({ path, text }) => ({ path, words: new Set(text.match(/\w+/g)) }),
  );
  const others = files.filter(({ path }) => dirname(path) !== join("src", "model"));
  return others.flatMap(({ path, exportedTypes }) =>
    exportedTypes
      .filter((name) => !words.some((other) => other.path !== path && other.words.has(name)))
      .map((name) => `${path}: ${name}`),
  );
}

/** Files with functions of which no test in the mirrored folder has the name: `a/b.test.ts` or `a/b.some-aspect.test.ts`. */
function withoutUnitTest() {
  const tested = new Set(
    sourcesIn("test/unit").map((path) =>
      join(dirname(relative("test/unit", path)), basename(path).split(".")[0]),
    ),
  );
  return files
    .filter(({ path, lines: count, isCode }) => {
      const source = relative("src", path).replace(/\.ts$/, "");
      return isCode && count > TESTED && !tested.has(source);
    })
    .map(({ path, lines: count }) => `${path} (${String(count)} lines)`);
}

/** Lines of a table, for `LIST=1`. */
function byFolder() {
  const folders = new Map();
  for (const { path, lines: count, types, imports } of files) {
    const name = relative("src", dirname(path)) || ".";
    const sum = folders.get(name) ?? { count: 0, lines: 0, types: 0, imports: 0 };
    sum.count += 1;
    sum.lines += count;
    sum.types += types;
    sum.imports += imports;
    folders.set(name, sum);
  }
  const cells = (name, values) =>
    `${name.padEnd(34)}${values.map((value) => String(value).padStart(8)).join("")}`;
  return [
    cells("folder", ["files", "lines", "types", "/1000", "imports", "/1000"]),
    ...[...folders].map(([name, sum]) =>
      cells(name, [
        sum.count,
        sum.lines,
        sum.types,
        ((1000 * sum.types) / sum.lines).toFixed(1),
        sum.imports,
        ((1000 * sum.imports) / sum.lines).toFixed(1),
      ]),
    ),
  ];
}

function show(what, value, goal, list = []) {
  console.log(`${what.padEnd(42)} ${String(value).padStart(7)}   ${goal}`);
  if (isListed) for (const each of list) console.log(`    ${each}`);
}

const per1000 = (field) =>
  ((1000 * files.reduce((sum, file) => sum + file[field], 0)) / lines).toFixed(1);
const longest = files
  .map(({ path }) => chainFrom(path))
  .reduce((a, b) => (b.length > a.length ? b : a));
const [folders, twice, short] = [mutualFolders(), namesOfTwo(), shortWithOneImporter()];
const [ofOneFile, untested] = [typesOfOneFile(), withoutUnitTest()];

show("figure", "is", "goal");
show("files", files.length, "230 or less", byFolder());
show("lines", lines, "40000 or less");
show("lines of tests", testLines(), "75000 or less");
show("imports per 1,000 lines", per1000("imports"), "50 or less");
show("declarations of types per 1,000 lines", per1000("types"), "10 or less");
show("exported types that one file uses", ofOneFile.length, "0", ofOneFile);
show(
  "longest chain of imports, files",
  longest.length,
  "15 or less",
  longest.map((path) => relative("src", path)),
);
show("pairs of folders that import each other", folders.length, "0", folders);
show("names that two files export", twice.length, "0", twice);
show(`files under ${String(SHORT)} lines with one importer, next door`, short.length, "0", short);
show(`files over ${String(TESTED)} lines without a unit test`, untested.length, "0", untested);
