import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { NEEDED } from "../../src/output/nginx-binary.js";
import { expectGenerated } from "../support/generated-file.js";

const ROOT = join(import.meta.dirname, "../..");
const WORKFLOWS = ".github/workflows";

function text(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** The first group of the expression in a file; the test fails if it is not there. */
function found(path: string, expression: RegExp): string {
  const [, value] = expression.exec(text(path)) ?? [];
  if (value === undefined) throw new Error(`${path} has no ${String(expression)}`);
  return value;
}

const pinned = (key: string): string =>
  found("deploy/versions.env", new RegExp(`^${key}=(.*)$`, "m"));

const NODES = ["NODE_LEAST", "NODE_VERSION"].map(pinned);

function page(): string {
  const suites = found("Makefile", /^NGINX_SUITES := (.*)$/m).split(" ");
  const debian = pinned("NODE_IMAGE").split("-")[1] ?? "";
  const packages = ["nginx", "libnginx-mod-http-lua"].map((name) => {
    const [, version = ""] =
      new RegExp(`(?:^| )${name}=(?:1:)?([^ -]+)`).exec(pinned("DEBIAN_PACKAGES")) ?? [];
    return version;
  });
  const openresty = pinned("OPENRESTY_IMAGE").split("@")[0]?.split("/").at(-1) ?? "";
  const rows = [
    ["Node.js", found("package.json", /"node": "(.*)"/), NODES.join(" and ")],
    ["nginx with ngx_lua", NEEDED, `Debian's in ${suites.join(" and ")}`],
    [
      "OpenResty",
      "1.27.1 or newer",
      `pinned: ${openresty}; [what tests cover](install.md#openresty-instead-of-debians-nginx)`,
    ],
    ["Debian, in the image", debian, `nginx ${packages.join(" with ngx_lua ")}`],
    [
      "Kubernetes",
      "with discovery.k8s.io/v1 and networking.k8s.io/v1",
      found("e2e/conformance/k8s/go.mod", /k8s\.io\/kubernetes v(\S+)/),
    ],
    [
      "Gateway API",
      `${pinned("GATEWAY_API_VERSION").replace(/\.\d+$/, "")}, if its definitions are installed`,
      `${pinned("GATEWAY_API_VERSION")}, experimental channel`,
    ],
  ];
  return `# Support

<!-- Made by test/generated/support-page.test.ts from package.json, deploy/versions.env and go.mod (\`make golden-update\`). -->

What albc needs, and what every change is tested with. [SECURITY.md](../SECURITY.md) says which releases of albc get fixes.

| program | needed | tested |
| ------- | ------ | ------ |
${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}
- Releases of Node.js, Kubernetes and Debian are supported as long as their projects support them.
- Other Linux systems work with an nginx as above. The scripts that unpack nginx need Debian's apt.
- nginx without its stream module serves no TLSRoutes, TCPRoutes and UDPRoutes.
- nginx before 1.30 has a fault in retries to h2c and gRPC backends: if an endpoint's error arrives together with the settings of its connection, the next
  try may fail, too, with 502.
`;
}

test("the support matrix has the versions that the code and the tests name", async () => {
  const { format, resolveConfig } = await import("prettier");
  const path = join(ROOT, "docs/support.md");
  const options = { ...(await resolveConfig(path)), filepath: path };
  expectGenerated("docs/support.md", await format(page(), options));
});

describe("workflows", () => {
  const all = readdirSync(join(ROOT, WORKFLOWS)).map((name) => `${WORKFLOWS}/${name}`);

  test.each(all)("%s runs nothing but targets of the Makefile", (path) => {
    const commands = commandsOf(load(text(path)));
    const targets = [...text("Makefile").matchAll(/^([a-z-]+):/gm)].map(([, name]) => name);

    expect(commands).not.toHaveLength(0);
    for (const command of commands) {
      expect(command).toMatch(/^make [a-z-]+( [A-Z]+="[^"`;]*")*$/);
      expect(targets).toContain(command.split(" ")[1]);
    }
  });

  test("they use the Node that is tested", () => {
    const used = [
      ...all
        .map(text)
        .join("")
        .matchAll(/["/:](\d+\.\d+\.\d+)\b/g),
    ];
    expect(used.map(([, node]) => node)).toEqual(all.map(() => pinned("NODE_VERSION")));
  });
});

/** Values of all fields `run` of a workflow. */
function commandsOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, field]: [string, unknown]) =>
    key === "run" && typeof field === "string" ? [field.trim()] : commandsOf(field),
  );
}
