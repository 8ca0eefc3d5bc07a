// Starts the example services and the gateway, prints what to try, and ends both with itself.
// EXAMPLES_ALBC names another albc than the one built here.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { request } from "node:http";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeTlsManifest } from "./certificate.mjs";

const HTTP_PORT = 8080;
const START_DEADLINE = 30_000;

const examples = import.meta.dirname;
const albc = process.env.EXAMPLES_ALBC ?? join(examples, "../dist/cli/main.js");
// Below the folder that is made by a run and removed by `make clean`.
const work = ".albc/examples";

/** Curl lines by topic, with the status that they answer. */
const toTry = (certificate) => [
  ["An application that is open to everybody", "curl -i http://shop.localhost:8080/", 200],
  ["Basic auth of an Ingress", "curl -i http://admin.localhost:8080/", 401],
  ["", "curl -i -u alice:wonderland http://admin.localhost:8080/", 200],
  ["and its one open path", "curl -i http://admin.localhost:8080/healthz", 200],
  [
    "Forward auth: off to the sign-in page",
    "curl -i 'http://portal.localhost:8080/orders?page=2'",
    302,
  ],
  ["", "curl -i --cookie session=example http://portal.localhost:8080/orders", 200],
  ["Rules of a Frontend, whose auth they inherit", "curl -i http://localhost:8081/status", 401],
  ["", "curl -i -u ops:restart http://localhost:8081/status", 200],
  ["but for one", "curl -i http://localhost:8081/healthz", 200],
  ["Gateway API: an HTTPRoute", "curl -i http://routes.localhost:8090/", 200],
  ["one whose AuthPolicy asks for a password", "curl -i http://team.localhost:8090/", 401],
  ["", "curl -i -u alice:wonderland http://team.localhost:8090/", 200],
  ["and a rule of it that is open", "curl -i http://team.localhost:8090/healthz", 200],
  ["one that asks the sign-in service", "curl -i http://single.localhost:8090/", 302],
  ["No route: the reason is in X-ALB-ERR-REASON", "curl -i http://nobody.localhost:8080/", 404],
  ...(certificate === undefined
    ? []
    : [
        ["TLS", "curl -i http://secure.localhost:8080/", 308],
        ["", `curl -i --cacert ${certificate} https://secure.localhost:8443/`, 200],
      ]),
];

const children = new Set();
let ending = false;

/** Keeps track of a child: when one ends by itself, so does everything. */
function keep(child, name) {
  children.add(child);
  child.once("exit", (code, signal) => {
    children.delete(child);
    if (!ending) {
      console.error(`examples: ${name} ended (${signal ?? `exit status ${code}`})`);
      void end(code || 1);
    }
  });
  return child;
}

/** Ends the children, by their process ids, and then itself. */
async function end(status) {
  if (ending) return;
  ending = true;
  await Promise.all(
    [...children].map((child) => {
      child.kill("SIGTERM");
      return once(child, "exit");
    }),
  );
  process.exit(status);
}

function makeTls() {
  try {
    return makeTlsManifest(join(examples, "tls.yaml.template"), work);
  } catch (error) {
    console.error(
      `examples: no TLS example, openssl could not make a certificate: ${error.message}`,
    );
    return undefined;
  }
}

/** The status of a request to the example shop; undefined while nobody answers. */
function status() {
  return new Promise((resolve) => {
    request(
      { host: "127.0.0.1", port: HTTP_PORT, headers: { host: "shop.localhost" } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    )
      .once("error", () => resolve(undefined))
      .end();
  });
}

async function gatewayAnswers() {
  const deadline = Date.now() + START_DEADLINE;
  while (!ending && (await status()) !== 200) {
    if (Date.now() > deadline) throw new Error("the gateway does not answer");
    await delay(100);
  }
}

function printWhatToTry(certificate) {
  const lines = toTry(certificate);
  const width = Math.max(...lines.map(([, line]) => line.length));
  console.log("\nThe gateway is up. Try, in another terminal:\n");
  for (const [topic, line, answer] of lines) {
    if (topic !== "") console.log(`  # ${topic}`);
    console.log(`  ${line.padEnd(width)}  # ${answer}`);
  }
  console.log(`
  # In a browser: http://portal.localhost:8080/ leads to the sign-in page.
  # Why a request goes where it goes:
  node ${relative("", albc)} explain -f ${relative("", examples)} GET http://admin.localhost:8080/

Edit ${relative("", examples)}/manifests or ${relative("", examples)}/gateway while it runs: changes are served at once. Ctrl-C ends it.`);
}

async function main() {
  if (!existsSync(albc)) throw new Error(`${relative("", albc)} is missing; run \`make build\``);
  const services = keep(fork(join(examples, "services.mjs")), "the example services");
  await once(services, "message");
  const tls = makeTls();
  const folders = [join(examples, "manifests"), join(examples, "gateway")];
  const sources = [...folders, ...(tls === undefined ? [] : [tls.manifest])];
  const flags = sources.flatMap((source) => ["-f", source]);
  keep(
    spawn(process.execPath, [albc, "run", ...flags, "--dir", join(work, "run")], {
      stdio: ["ignore", "inherit", "inherit"],
    }),
    "albc",
  );
  await gatewayAnswers();
  if (!ending) printWhatToTry(tls?.certificate);
}

process.once("SIGINT", () => void end(0));
process.once("SIGTERM", () => void end(0));
try {
  await main();
} catch (error) {
  console.error(`examples: ${error.message}`);
  await end(3);
}
