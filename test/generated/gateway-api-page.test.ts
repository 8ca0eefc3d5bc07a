/** docs/gateway-api.md says of every field of v1.7 whether it is supported; its last table is made from the features. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { FEATURES } from "../../src/translate/gateway/gateway-classes.js";
import { crdFields } from "../support/crd-fields.js";
import { expectGenerated } from "../support/generated-file.js";

const PAGE = "docs/gateway-api.md";
const text = readFileSync(resolve(import.meta.dirname, "../..", PAGE), "utf8");

const KINDS = [
  ["GatewayClass", "gatewayclasses"],
  ["Gateway", "gateways"],
  ["ListenerSet", "listenersets"],
  ["HTTPRoute", "httproutes"],
  ["GRPCRoute", "grpcroutes"],
  ["TLSRoute", "tlsroutes"],
  ["TCPRoute", "tcproutes"],
  ["UDPRoute", "udproutes"],
  ["BackendTLSPolicy", "backendtlspolicies"],
  ["ReferenceGrant", "referencegrants"],
] as const;

/** Fields of a kind's table; one that ends with `.*` is for all below it. */
function documented(kind: string): readonly string[] {
  const section = text.split(`\n## ${kind}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").flatMap((line) => {
    const [, fields = "", support = ""] = line.split("|").map((cell) => cell.trim());
    return ["yes", "partly", "no"].includes(support) ? [fields] : [];
  });
  return rows.flatMap((fields) =>
    [...fields.matchAll(/`([^`]+)`/g)].map(([, field = ""]) => field),
  );
}

function covers(row: string, field: string): boolean {
  return row.endsWith(".*") ? field.startsWith(row.slice(0, -1)) : row === field;
}

describe.each(KINDS)("%s", (kind, plural) => {
  const fields = crdFields(plural);
  const rows = documented(kind);

  it("has every field on the page, once", () => {
    const counts = fields.map((field) => [field, rows.filter((row) => covers(row, field)).length]);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
  });

  it("has no field on the page that is not there", () => {
    expect(fields.length).toBeGreaterThan(5);
    expect(rows.filter((row) => !fields.some((field) => covers(row, field)))).toEqual([]);
  });
});

it("lists every feature", () => {
  const heading = "## Features\n";
  const [written = ""] = text.split(heading);
  const rows = [...FEATURES]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, isSupported, why }) => `| ${name} | ${isSupported ? "yes" : "no"} | ${why} |\n`);
  const table = `| feature | claimed | |\n| --- | --- | --- |\n${rows.join("")}`;
  const introduction =
    "Claimed features are in the GatewayClass's `status.supportedFeatures`. The names are those of the conformance suite.\n";
  expectGenerated(PAGE, `${written}${heading}\n${introduction}\n${table}`);
});
