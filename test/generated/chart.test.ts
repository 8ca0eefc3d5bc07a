import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load, loadAll } from "js-yaml";
import { SETTINGS, type SettingRow } from "../../src/cli/settings-table.js";
import { expectGenerated } from "../support/generated-file.js";

const ROOT = join(import.meta.dirname, "../..");
const SCHEMA = "deploy/chart/values.schema.json";

const TYPES: Readonly<Record<SettingRow["kind"], object>> = {
  text: { type: "string" },
  whole: { type: "integer" },
  percent: { type: "number" },
  switch: { type: "boolean" },
  list: { type: "array", items: { type: "string" } },
  ranges: { type: "array", items: { type: "string" } },
  addresses: { type: "array", items: { type: "string" } },
  servers: { type: "array", items: { type: "string" } },
  endpoint: { type: "string" },
  domain: { type: "string" },
  reference: { type: "string" },
  log: { type: "string" },
  statuses: { type: "array", items: { type: ["string", "integer"] } },
  bytes: { type: ["string", "integer"] },
  duration: { type: "string" },
};

function optionSchema({ key, kind, description, choices }: SettingRow): object {
  return {
    description,
    ...TYPES[kind],
    ...(choices !== undefined && { enum: choices }),
    // The nginx container passes it to sleep(1).
    ...(key === "shutdownDelay" && { pattern: "^[0-9]+(s|m)$" }),
  };
}

test("the schema of the chart's values knows every option", () => {
  const schema = JSON.parse(readFileSync(join(ROOT, SCHEMA), "utf8")) as {
    readonly properties: Readonly<Record<string, object>>;
  };
  const options = {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(SETTINGS.map((row) => [row.key, optionSchema(row)])),
  };
  const whole = { ...schema, properties: { ...schema.properties, options } };
  expectGenerated(SCHEMA, `${JSON.stringify(whole, undefined, 2)}\n`);
});

test("the chart installs the release that it belongs to", () => {
  const chart = load(readFileSync(join(ROOT, "deploy/chart/Chart.yaml"), "utf8"));
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly version: string;
  };
  expect(chart).toMatchObject({ version, appVersion: version });
});

interface Deployed {
  readonly kind: string;
  readonly spec?: { readonly template?: { readonly spec: object } };
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: object }[];
}

/** deploy/base; e2e/cluster/deploy.e2e.ts compares it with the chart, and tries other values. */
const base = (): readonly Deployed[] =>
  loadAll(readFileSync(join(ROOT, "deploy/base/albc.yaml"), "utf8")) as readonly Deployed[];

test("no container gets a token of the service account by default", () => {
  const pods = base().flatMap(({ spec }) => spec?.template?.spec ?? []);
  expect(pods).toEqual([expect.objectContaining({ automountServiceAccountToken: false })]);
});

test("without a GatewayClass, nothing but statuses and events is written in served namespaces", () => {
  const written = base()
    .filter(({ kind }) => kind === "ClusterRole")
    .flatMap(({ rules = [] }) => rules)
    .filter(({ verbs }) => /create|update|patch|delete|\*/.test(JSON.stringify(verbs)))
    .flatMap(({ resources }) => resources);
  expect(written.filter((name) => name !== "events" && !name.endsWith("/status"))).toEqual([]);
});
