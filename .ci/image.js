// Runs the steps of deploy/Dockerfile without a container engine: image.js DIR (root on Debian)
//
// Afterwards DIR/root is the file system of the last stage, and DIR/config.json has its user, workdir and entrypoint. Registries of
// container images are no package registries, so NODE_IMAGE is put together from the same parts: Debian's release with its security
// updates, and Node's own build with npm, from npm's registry. A RUN step runs by chroot in namespaces, with this machine's network.
// Exit status 3 if something could not be had.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = dirname(dirname(fileURLToPath(import.meta.url)));
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function run(command, words, options = {}) {
  return execFileSync(command, words, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
}

/** Instructions of a Dockerfile as [name, rest], without comments and with continued lines joined. */
function instructions(text) {
  const lines = text.replace(/^\s*#.*\n/gm, "").replace(/\\\n/g, " ");
  return [...lines.matchAll(/^([A-Z]+)\s+(.*)$/gm)].map(([, name, rest]) => [name, rest.trim()]);
}

/** The mirror of apt's sources with this label. */
function mirror(label) {
  const words = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
  if (run("apt-get", words) === "") run("apt-get", ["update"]);
  return run("apt-get", [...words, `Label: ${label}`]).split("\n")[0];
}

/** What an image such as …/node:24.21.0-trixie-slim holds. */
function makeBase(image, root, work) {
  const found = /\/node:([\d.]+)-(\w+)-slim/.exec(image);
  if (found === null) throw new Error(`${image} can't be put together`);
  const [, version, suite] = found;
  const sources = [
    `deb ${mirror("Debian")} ${suite} main`,
    `deb ${mirror("Debian-Security")} ${suite}-security main`,
  ];
  const flags = ["--quiet", "--variant=minbase", "--include=ca-certificates"];
  run("mmdebstrap", [...flags, suite, root, ...sources]);
  // As in Debian's images: no package starts a service.
  writeFileSync(join(root, "usr/sbin/policy-rc.d"), "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  mkdirSync(work);
  writeFileSync(join(work, "package.json"), '{ "private": true }');
  const name = `node-${process.platform}-${process.arch}`;
  const npm = [
    "install",
    "--ignore-scripts",
    "--no-save",
    "--no-package-lock",
    "--no-audit",
    "--no-fund",
  ];
  run("npm", [...npm, "--loglevel=error", `${name}@${version}`, "npm@11"], { cwd: work });
  cpSync(join(work, "node_modules", name, "bin/node"), join(root, "usr/local/bin/node"));
  run("cp", ["-a", join(work, "node_modules/npm"), join(root, "usr/local/lib/npm")]);
  for (const command of ["npm", "npx"]) {
    symlinkSync(`../lib/npm/bin/${command}-cli.js`, join(root, "usr/local/bin", command));
  }
}

/** A RUN step, which sees the root file system, /proc, /dev and the network. Certificates are those of this machine. */
function runStep(stage, command) {
  const { root, workdir, variables } = stage;
  const script = [
    'mount -t proc proc "$1/proc"',
    'mount --rbind /dev "$1/dev"',
    "for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do",
    '  touch "$1$file" && mount --bind "$file" "$1$file"',
    "done",
    'exec chroot "$1" /bin/sh -c "cd \\"$2\\" && $3" sh',
  ].join("\n");
  const words = [
    "--mount",
    "--pid",
    "--fork",
    "/bin/sh",
    "-ec",
    script,
    "sh",
    root,
    workdir,
    command,
  ];
  const certificates = { NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt" };
  run("unshare", words, {
    env: { PATH, HOME: "/root", ...certificates, ...variables },
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/** COPY of files and folders of the context, or of another stage. */
function copy(stage, stages, rest, ignored) {
  const words = rest.split(/\s+/);
  const from = words[0].startsWith("--from=")
    ? stages.get(words.shift().slice("--from=".length))
    : undefined;
  const to = words.at(-1);
  const target = join(stage.root, resolve(stage.workdir, to));
  for (const word of words.slice(0, -1)) {
    if (from === undefined && ignored(word)) throw new Error(`.dockerignore leaves ${word} out`);
    const source = from === undefined ? join(REPOSITORY, word) : join(from.root, word);
    if (statSync(source).isDirectory()) {
      mkdirSync(target, { recursive: true });
      run("cp", ["-a", `${source}/.`, target]);
    } else {
      const file = to.endsWith("/") ? join(target, basename(word)) : target;
      mkdirSync(dirname(file), { recursive: true });
      cpSync(source, file);
    }
  }
}

function build(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const allowed = readFileSync(join(REPOSITORY, ".dockerignore"), "utf8").match(/^!.*$/gm);
  const ignored = (word) => !allowed.includes(`!${word}`);
  const stages = new Map();
  const given = {};
  let stage;
  const expand = (text) =>
    text.replace(
      /\$\{(\w+)\}/g,
      (whole, name) => (stage?.variables ?? given)[name] ?? given[name] ?? whole,
    );
  for (const [name, rest] of instructions(
    readFileSync(join(REPOSITORY, "deploy/Dockerfile"), "utf8"),
  )) {
    console.log(`${name} ${rest}`);
    if (name === "ARG") {
      const [, key, value] = /^(\w+)="?(.*?)"?$/.exec(rest);
      (stage?.variables ?? given)[key] = value;
    } else if (name === "FROM") {
      const [image, , as = "last"] = rest.split(/\s+/);
      const base = join(folder, "base");
      if (stages.size === 0) makeBase(expand(image), base, join(folder, "npm"));
      stage = {
        root: as === "last" ? join(folder, "root") : join(folder, as),
        workdir: "/",
        variables: {},
      };
      run("cp", ["-a", base, stage.root]);
      stages.set(as, stage);
    } else if (name === "WORKDIR") {
      stage.workdir = resolve(stage.workdir, rest);
      mkdirSync(join(stage.root, stage.workdir), { recursive: true });
    } else if (name === "COPY") copy(stage, stages, rest, ignored);
    else if (name === "RUN") runStep(stage, rest);
    else if (name === "USER") stage.user = rest;
    else if (name === "ENTRYPOINT") stage.entrypoint = JSON.parse(rest);
    else throw new Error(`${name} is an instruction that this script can't run`);
  }
  const { user, workdir, entrypoint } = stages.get("last");
  writeFileSync(join(folder, "config.json"), JSON.stringify({ user, workdir, entrypoint }));
  chmodSync(folder, 0o755);
  for (const left of ["base", "npm", "build"])
    rmSync(join(folder, left), { recursive: true, force: true });
}

try {
  if (process.getuid() !== 0) throw new Error("its steps need root");
  run(join(REPOSITORY, "deploy/debian-command"), ["mmdebstrap", "mmdebstrap"]);
  build(resolve(process.argv[2]));
} catch (error) {
  console.error(`albc: no image: ${error.message}`);
  process.exitCode = 3;
}
