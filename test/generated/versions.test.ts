import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { newestImage } from "../../.ci/newer.js";
import { expectGenerated } from "../support/generated-file.js";

const ROOT = join(import.meta.dirname, "../..");

function text(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

const VERSIONS = new Map(
  [...text("deploy/versions.env").matchAll(/^([A-Z_]+)=(.*)$/gm)].map(
    ([, key = "", value = ""]) => [key, value] as const,
  ),
);

/** Where a version is used: the text that goes before it on its line. */
const PLACES = [
  { path: "deploy/Dockerfile", before: "ARG NODE_IMAGE=", key: "NODE_IMAGE" },
  { path: "deploy/Dockerfile", before: "ARG DEBIAN_PACKAGES=", key: "DEBIAN_PACKAGES" },
  { path: "docker-compose.yml", before: "image: docker.io/openresty/", key: "OPENRESTY_IMAGE" },
  { path: "docker-compose.yml", before: "image: docker.io/library/node", key: "NODE_IMAGE" },
  { path: "deploy/chart/values.yaml", before: "image: ", key: "OPENRESTY_IMAGE" },
] as const;

test.each([...new Set(PLACES.map(({ path }) => path))])(
  "%s has the versions of deploy/versions.env",
  (path) => {
    let contents = text(path);
    for (const { before, key } of PLACES.filter((place) => place.path === path)) {
      const start = before.startsWith("image: ") ? "image: " : before;
      const version = VERSIONS.get(key) ?? "";
      const value = version.includes(" ") ? `"${version}"` : version;
      const line = new RegExp(`^( *)${before}\\S.*$`, "m");
      expect(contents).toMatch(line);
      contents = contents.replace(line, `$1${start}${value}`);
    }
    expectGenerated(path, contents);
  },
);

test("the image runs the Node that is tested, and the least is tried", () => {
  expect(VERSIONS.get("NODE_IMAGE")).toContain(`node:${VERSIONS.get("NODE_VERSION") ?? ""}-`);
  const { engines } = JSON.parse(text("package.json")) as { engines: { node: string } };
  expect(VERSIONS.get("NODE_LEAST")).toBe(`${engines.node.replace(">=", "")}.0`);
});

test("the newest tag of a series is found in all pages of a registry, with its digest", async () => {
  const pages = [
    ["24.9.1-trixie-slim", "24.10.0-trixie", "26.1.0-trixie-slim", "latest"],
    ["24.10.2-trixie-slim", "24.10.1-trixie-slim", "24-trixie-slim", "24.11.0-bookworm-slim"],
  ];
  const digestOf = (tag: string) => `sha256:${createHash("sha256").update(tag).digest("hex")}`;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://registry");
    const at = `http://${request.headers.host ?? ""}`;
    if (url.pathname === "/token") {
      response.end(JSON.stringify({ token: url.searchParams.get("scope") }));
    } else if (request.headers.authorization !== "Bearer repository:library/node:pull") {
      const challenge = `Bearer realm="${at}/token",service="test",scope="repository:library/node:pull"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
    } else if (url.pathname === "/v2/library/node/tags/list") {
      const page = Number(url.searchParams.get("last") ?? 0);
      const link = `</v2/library/node/tags/list?n=1000&last=1>; rel="next"`;
      response.writeHead(200, page === 0 ? { link } : {});
      response.end(JSON.stringify({ tags: pages[page] }));
    } else {
      const tag = url.pathname.replace("/v2/library/node/manifests/", "");
      response.writeHead(200, { "docker-content-digest": digestOf(tag) }).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const name = `127.0.0.1:${String((server.address() as AddressInfo).port)}/library/node`;
    const tag = "24.10.2-trixie-slim";
    expect(await newestImage(`${name}:24.8.0-trixie-slim@sha256:${"0".repeat(64)}`)).toBe(
      `${name}:${tag}@${digestOf(tag)}`,
    );
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
