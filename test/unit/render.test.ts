import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import type { RenderedFile } from "../../src/render/rendered-file.js";
import { Renderer } from "../../src/render.js";
import { SecretText } from "../../src/support/secret-text.js";
import { configOf, EMPTY_CONFIG } from "../support/data-plane-config.js";
import { policyErrors } from "../support/policy-schema.js";

const FULL = configOf((field) => field);
const files = new Renderer().render(FULL, DEFAULT_OPTIONS);

function reveal(file: RenderedFile | undefined): string {
  return typeof file?.contents === "string" ? file.contents : (file?.contents.reveal() ?? "");
}

function find(start: string): RenderedFile | undefined {
  return files.find((file) => file.path.startsWith(start));
}

test("the files are sorted by path; those with secrets are for their owner alone", () => {
  expect(
    files.map(({ path, mode }) => `${path.replace(/[0-9a-f]{32}/, "*")} ${mode.toString(8)}`),
  ).toEqual([
    "authorities/*.pem 644",
    "authorities/*.pem 644",
    "certificates/*.pem 600",
    "credentials/*.json 600",
    "nginx.conf 644",
    "policy.json 600",
  ]);
});

test("policy.json fits the schema and names the secret files", () => {
  const text = reveal(find("policy.json"));
  expect(policyErrors(JSON.parse(text))).toEqual([]);
  expect(text).toContain(find("certificates/")?.path);
  expect(text).toContain(find("credentials/")?.path);
});

test("the credentials are JSON by user, the certificate is the key and then the chain", () => {
  expect(reveal(find("credentials/"))).toBe('{"user":["salt","hash"]}\n');
  expect(reveal(find("certificates/"))).toBe("private key\nchain\n");
});

test("secrets stand in their own files alone, and show themselves nowhere", () => {
  const secret = configOf((field) =>
    /^(private key|hash|salt)$/.test(field) ? `SECRET ${field}` : field,
  );
  for (const file of new Renderer().render(secret, DEFAULT_OPTIONS)) {
    expect(file.contents instanceof SecretText).toBe(
      /^(certificates|credentials)\//.test(file.path),
    );
    expect(JSON.stringify(file)).not.toContain("SECRET");
  }
});

test("another secret is another file, an equal one the same", () => {
  const [credentials] = FULL.credentials;
  if (credentials === undefined) throw new Error("no credentials");
  const twin = { ...credentials, id: "twin" };
  const other = { ...credentials, id: "other", entries: {} };
  const config = { ...EMPTY_CONFIG, credentials: [credentials, twin, other] };
  const paths = new Renderer().render(config, DEFAULT_OPTIONS).map(({ path }) => path);
  expect(paths.filter((path) => path.startsWith("credentials/"))).toHaveLength(2);
});
