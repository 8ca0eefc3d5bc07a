// Prints newer releases of what the repository pins, as `make newer`; with --update it writes those of deploy/versions.env.
// What can't be reached is named and stays as it is.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Media types of a manifest; a digest of an index is valid on every architecture. */
const MANIFESTS = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** `docker.io/library/node:24.21.0-trixie-slim@sha256:…` in parts. */
function parts(image) {
  const [, host, name, tag] = /^([^/]+)\/(.+?):([^:@]+)(?:@sha256:[0-9a-f]{64})?$/.exec(image);
  // As container engines do it: Docker Hub has another host for its API, and loopback addresses have no TLS.
  const server = host === "docker.io" ? "registry-1.docker.io" : host;
  const scheme = /^(localhost|127\.0\.0\.1)(:|$)/.test(host) ? "http" : "https";
  return { host, name, tag, api: `${scheme}://${server}/v2/${name}` };
}

/** GET or HEAD at a registry, with the anonymous token that it asks for. */
async function ask(url, method, headers = {}) {
  const signal = AbortSignal.timeout(30_000);
  const first = await fetch(url, { method, headers, signal });
  if (first.status !== 401) return succeeded(first);
  const challenge = first.headers.get("www-authenticate") ?? "";
  const field = (name) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? "";
  const query = new URLSearchParams({ service: field("service"), scope: field("scope") });
  const { token } = await (await fetch(`${field("realm")}?${query}`, { signal })).json();
  return succeeded(
    await fetch(url, { method, headers: { ...headers, authorization: `Bearer ${token}` }, signal }),
  );
}

function succeeded(response) {
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}`);
  return response;
}

/** Numbers of a tag, and the tag with a mark for each: tags of one series differ in numbers after the first alone. */
function reading(tag) {
  const numbers = [...tag.split("-")[0].matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const [version, ...rest] = tag.split("-");
  return { numbers, series: [version.replace(/\.\d+/g, ".N"), ...rest].join("-") };
}

function compare(a, b) {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at === -1 ? 0 : a[at] - b[at];
}

/** The same image by its newest tag of the same series, with the digest of that tag. */
export async function newestImage(image) {
  const { host, name, tag, api } = parts(image);
  const own = reading(tag);
  let [newest, url] = [tag, `${api}/tags/list?n=1000`];
  while (url) {
    const response = await ask(url, "GET");
    for (const other of (await response.json()).tags ?? []) {
      const { numbers, series } = reading(other);
      if (series === own.series && compare(numbers, reading(newest).numbers) > 0) newest = other;
    }
    const next = /<([^>]+)>;\s*rel="?next/.exec(response.headers.get("link") ?? "")?.[1];
    url = next && new URL(next, url).href;
  }
  const manifest = await ask(`${api}/manifests/${newest}`, "HEAD", { accept: MANIFESTS });
  return `${host}/${name}:${newest}@${manifest.headers.get("docker-content-digest")}`;
}

function output(command, words, options = {}) {
  return execFileSync(command, words, {
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
    input: "",
    // go.mod says which Go it needs.
    env: { ...process.env, GOTOOLCHAIN: "auto" },
    ...options,
  }).trim();
}

/** The mirrors that apt uses on this machine, or Debian's own. */
function mirror(label, otherwise) {
  try {
    const words = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
    const [line] = output("apt-get", [...words, `Label: ${label}`]).split("\n");
    return (line || otherwise).replace(/\/$/, "");
  } catch {
    return otherwise;
  }
}

/** `NAME=VERSION …` with the newest versions of a release and its security updates. */
async function newestPackages(packages, suite) {
  const main = mirror("Debian", "https://deb.debian.org/debian");
  const security = mirror("Debian-Security", "https://deb.debian.org/debian-security");
  const versions = new Map(packages.split(" ").map((word) => word.split(/=(.*)/s).slice(0, 2)));
  const newest = new Map();
  for (const folder of [`${main}/dists/${suite}`, `${security}/dists/${suite}-security`]) {
    const response = succeeded(await fetch(`${folder}/main/binary-amd64/Packages.xz`));
    const text = output("xz", ["-dc"], { input: await response.bytes(), maxBuffer: 2 ** 28 });
    for (const [, name, version] of text.matchAll(/^Package: (\S+)\n(?:.+\n)*?Version: (\S+)$/gm)) {
      if (versions.has(name) && isNewer(version, newest.get(name))) newest.set(name, version);
    }
  }
  return [...versions].map(([name, old]) => `${name}=${newest.get(name) ?? old}`).join(" ");
}

function isNewer(version, than) {
  if (than === undefined) return true;
  try {
    output("dpkg", ["--compare-versions", version, "gt", than]);
    return true;
  } catch {
    return false;
  }
}

const MODULES = {
  GATEWAY_API_VERSION: "sigs.k8s.io/gateway-api",
  PROMETHEUS_OPERATOR_VERSION: "github.com/prometheus-operator/prometheus-operator",
};

/** What each line of deploy/versions.env could be. */
function newest(key, value, file) {
  if (key.endsWith("_IMAGE")) return newestImage(value);
  if (key === "DEBIAN_PACKAGES") {
    return newestPackages(value, /^NODE_IMAGE=.*-(\w+)-slim/m.exec(file)[1]);
  }
  if (key === "NODE_LEAST") return value;
  if (key === "NODE_VERSION") {
    const found = JSON.parse(
      output("npm", ["view", `node@${value.split(".")[0]}`, "version", "--json"]),
    );
    return [found]
      .flat()
      .sort((a, b) => compare(reading(a).numbers, reading(b).numbers))
      .at(-1);
  }
  return output("go", ["list", "-m", "-versions", MODULES[key]], { cwd: "e2e/conformance" })
    .split(" ")
    .filter((word) => /^v\d+\.\d+\.\d+$/.test(word))
    .at(-1);
}

async function main() {
  process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
  const path = "deploy/versions.env";
  let file = readFileSync(path, "utf8");
  for (const [line, key, value] of file.matchAll(/^([A-Z_]+)=(.*)$/gm)) {
    try {
      const found = await newest(key, value, file);
      console.log(
        found === value ? `${key} is the newest: ${value}` : `${key}: ${value}\n  → ${found}`,
      );
      file = file.replace(line, `${key}=${found}`);
    } catch (error) {
      console.log(
        `${key} could not be looked up (${error.cause?.code ?? error.message}): ${value}`,
      );
    }
  }
  if (process.argv.includes("--update")) writeFileSync(path, file);
  console.log("\nnpm's packages (package-lock.json):");
  // It exits with 1 if there is anything to say.
  try {
    console.log(output("npm", ["outdated"]) || "all are the newest");
  } catch (error) {
    console.log(error.stdout?.trim() || error.message);
  }
  for (const cwd of ["e2e/conformance", "e2e/conformance/k8s"]) {
    console.log(`\nGo's modules (${cwd}/go.mod):`);
    const format =
      "{{if and .Update (not .Indirect)}}{{.Path}} {{.Version}} → {{.Update.Version}}{{end}}";
    try {
      console.log(
        output("go", ["list", "-m", "-u", "-e", "-f", format, "all"], { cwd }) ||
          "all are the newest",
      );
    } catch (error) {
      console.log(`could not be looked up: ${error.message}`);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
