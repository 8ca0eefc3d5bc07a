/** What templates/ may hold, checked on the parsed files: no logic, no bare output, no text but NginxText. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Handlebars from "handlebars";

const FOLDER = join(import.meta.dirname, "../../templates");
const BLOCKS = ["if", "unless", "each"];

/** Collects every breach of the rules in one template. */
class Rules extends Handlebars.Visitor {
  readonly breaches: string[] = [];

  override MustacheStatement(mustache: hbs.AST.MustacheStatement): void {
    const [argument, ...more] = mustache.params;
    if (nameOf(mustache.path) !== "text") this.#report(mustache, "prints without the helper text");
    if (!mustache.escaped) this.#report(mustache, "has three braces");
    if (argument?.type !== "PathExpression" || more.length > 0) {
      this.#report(mustache, "prints something else than one field");
    }
    super.MustacheStatement(mustache);
  }

  override BlockStatement(block: hbs.AST.BlockStatement): void {
    if (!BLOCKS.includes(nameOf(block.path))) this.#report(block, "is no if, unless or each");
    if (block.params.length !== 1 || block.params[0]?.type !== "PathExpression") {
      this.#report(block, "decides on something else than one field");
    }
    // The types say neither that it may be absent nor how it was written.
    const inverse = block.inverse as (hbs.AST.Program & { chained?: boolean }) | undefined;
    if (inverse?.chained === true) this.#report(block, "is a ladder");
    super.BlockStatement(block);
  }

  override PartialStatement(partial: hbs.AST.PartialStatement): void {
    if (partial.params.length !== 1) this.#report(partial, "has no object of its own");
    super.PartialStatement(partial);
  }

  override PathExpression(path: hbs.AST.PathExpression): void {
    if (path.depth > 0 || path.parts.length > 1) this.#report(path, "reaches beyond its object");
    if (path.data) this.#report(path, "uses data of the engine");
  }

  override SubExpression(expression: hbs.AST.SubExpression): void {
    this.#report(expression, "is an expression");
  }

  #report(node: hbs.AST.Node, what: string): void {
    this.breaches.push(`${node.loc.start.line}:${node.loc.start.column} ${what}`);
  }
}

function nameOf(expression: hbs.AST.Expression | hbs.AST.PathExpression): string {
  return "original" in expression ? expression.original : "";
}

function breaches(source: string): readonly string[] {
  const rules = new Rules();
  rules.accept(Handlebars.parse(source));
  return rules.breaches;
}

const templates = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".hbs"))
  .map((name) => [name, readFileSync(join(FOLDER, name), "utf8")] as const);

test("templates are found", () => {
  expect(templates.map(([name]) => name)).toContain("nginx.conf.hbs");
});

describe.each(templates)("%s", (_name, source) => {
  test("keeps the rules", () => {
    expect(breaches(source)).toEqual([]);
  });

  test("has Lua only as one call of the table albc", () => {
    const bodies = [...source.matchAll(/_by_lua(?:_block|_file)?\b([^\n]*)/g)].map(
      ([, body]) => body,
    );
    const call =
      /^ \{ (?:(?:return )?albc\.\w+\((?:"\{\{text \w+\}\}")?\)|require\("alb\.phases\.init"\)\.run\((?:\{\{text \w+\}\}(?:, )?)+\)) \}$/;
    expect(bodies.filter((body = "") => !call.test(body))).toEqual([]);
  });

  test("speaks of servers and locations, not of what users write", () => {
    expect(source).not.toMatch(
      /Ingress|HTTPRoute|Frontend|ALB2|annotation|Kubernetes|[Ss]ecret name/,
    );
  });
});

test.each([
  ["{{name}}", "prints without the helper text"],
  ["{{{text name}}}", "has three braces"],
  ['{{text "literal"}}', "prints something else than one field"],
  ["{{text a b}}", "prints something else than one field"],
  ["{{#with a}}{{/with}}", "is no if, unless or each"],
  ["{{#if a}}{{else if b}}{{/if}}", "is a ladder"],
  ["{{#if (eq a b)}}{{/if}}", "is an expression"],
  ["{{#each a}}{{text ../b}}{{/each}}", "reaches beyond its object"],
  ["{{text a.b}}", "reaches beyond its object"],
  ["{{text @index}}", "uses data of the engine"],
  ["{{> server}}", "has no object of its own"],
])("the rules are broken by %s", (source, what) => {
  expect(breaches(source).join()).toContain(what);
});
