/** The law of test/property/protect-or-refuse.test.ts in the whole product: a fixed sample of its typos, new and as edits. */
import { dump, loadAll } from "js-yaml";
import { compile } from "../../src/compile.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { fc } from "../../test/support/fast-check.js";
import type { Json } from "../../test/support/hostile-input.js";
import { SCENES, type Scene } from "../../test/support/protected-scenes.js";
import { writtenWrong } from "../../test/support/typos.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { GrpcBackend, grpcMessage } from "../harness/grpc-backend.js";
import { Health } from "../harness/health.js";
import { Http2Client } from "../harness/http2-client.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const SEED = 10;
/** Of each scene. */
const NEW = 3;
const EDITS = 2;

const scene = useScene();
let backend: EchoBackend;
let grpcBackend: GrpcBackend;
let gateway: Gateway;
let health: Health;
let port: number;
let httpsPort: number;
let changes = 0;
let files: readonly string[] = [];

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  grpcBackend = await scene.use(GrpcBackend.start());
  [port, httpsPort] = [await freePort(), await freePort()];
  health = new Health(await freePort());
  gateway = await scene.use(
    Gateway.start({
      ...{ files: {}, httpPort: port, httpsPort, errors: [/./] },
      flags: [...health.flags, "--log-level", "debug"],
    }),
  );
});

/** The scene's texts with addresses of this machine, and with namespaces that no other sample has. */
function placed({ text, others, url }: Scene, number: number): Scene & { readonly value: Json } {
  const server = isGrpc(url) ? grpcBackend : backend;
  const here = (manifests: string): string =>
    manifests
      .replaceAll(/(?<=\bport: )80(?=, protocol)|(?<=name: edge, port: )80/g, String(port))
      .replaceAll("type: nginx, config: {", `type: nginx, config: { ${ports()},`)
      .replaceAll("alb-00080", `alb-${String(port).padStart(5, "0")}`)
      .replaceAll("10.0.0.1", "127.0.0.1")
      .replaceAll("port: 8080", `port: ${String(server.port)}`)
      .replaceAll(/\b(namespace|name|shop): (shop|ops)\b/g, `$1: $2-${String(number)}`);
  const own = here(text);
  return { name: "", text: own, others: here(others), url, value: loadAll(own)[0] as Json };
}

function isGrpc(url: string): boolean {
  return url.startsWith("grpc:");
}

function ports(): string {
  return `ingressHTTPPort: ${String(port)}, ingressHTTPSPort: ${String(httpsPort)}`;
}

/** A fixed sample of the typos that leave the ports as they are: others may be in use. */
function sample({ value, others }: ReturnType<typeof placed>, count: number): readonly string[] {
  const here: readonly number[] = [port, httpsPort];
  const options = { ...DEFAULT_OPTIONS, httpPort: port, httpsPort };
  const usable = writtenWrong(value)
    .map((wrong) => dump(wrong))
    .filter((wrong) => {
      const { resources } = resourcesFromYaml(`${others}---\n${wrong}`);
      const { servers } = compile(resources, options).config;
      return servers.every((server) => here.includes(server.port));
    });
  return fc.sample(usable, { seed: SEED, numRuns: count });
}

/** Replaces all files, and waits until what they say is served, as far as it is taken. */
async function write(texts: Readonly<Record<string, string>>): Promise<void> {
  const mark = `change${String(++changes)}`;
  // Read in a new file, so after all others; the log says so because the field is unknown.
  const marker = `{ apiVersion: v1, kind: ConfigMap, metadata: { name: mark }, ${mark}: 1 }`;
  const all = { ...texts, [`${mark}.yaml`]: marker };
  const names = Object.keys(all);
  for (const name of files) if (!names.includes(name)) await gateway.remove(name);
  for (const [name, text] of Object.entries(all)) await gateway.write(name, text);
  files = names;
  await waitFor(`${mark} is applied`, () => {
    const { lines } = gateway.albc;
    const read = lines.findIndex(({ text }) => text.includes(`no field ${mark};`));
    return read >= 0 && lines.slice(read).some(({ msg }) => /^change (not )?applied/.test(msg));
  });
}

/** Whether a request without credentials reaches the backend. */
async function isOpen(url: string): Promise<boolean> {
  const { hostname, pathname } = new URL(url.replace(/^grpc/, "http"));
  if (isGrpc(url)) return isOpenForGrpc(hostname, pathname);
  const before = backend.requests.length;
  // A Gateway or ALB2 that is refused altogether has no port.
  const status = await gateway.send({ host: hostname, path: pathname }).then(
    (answer) => answer.status,
    () => 0,
  );
  return status === 200 || backend.requests.length > before;
}

async function isOpenForGrpc(host: string, path: string): Promise<boolean> {
  const before = grpcBackend.calls.length;
  // A connection of its own: listeners come and go.
  const headers = { ":method": "POST", ":path": path, ":authority": host, te: "trailers" };
  const type = { "content-type": "application/grpc" };
  const status = await Http2Client.open({ port }).then(
    async (client) => {
      const { trailers } = await client.send({ ...headers, ...type }, grpcMessage("hello"));
      await client.close();
      return trailers["grpc-status"];
    },
    () => undefined,
  );
  return status === "0" || grpcBackend.calls.length > before;
}

test.each(SCENES)(
  "no typo of a sample opens $name",
  async (given) => {
    const open = placed(given, changes);
    await write({ "open.yaml": open.others });
    expect(await isOpen(given.url)).toBe(true);
    for (const wrong of sample(open, NEW)) {
      // Nothing of it was ever read under another name.
      const number = changes;
      const { others } = placed(given, number);
      await write({
        [`others-${String(number)}.yaml`]: others,
        [`wrong-${String(number)}.yaml`]: wrong.replaceAll(
          /\b(shop|ops)-\d+/g,
          `$1-${String(number)}`,
        ),
      });
      // A file that can't be told from one that can't be read: after a start albc would not be ready.
      const isUnread = (await health.metrics()).get("albc_unreadable_files") !== 0;
      expect([wrong, !isUnread && (await isOpen(given.url))]).toEqual([wrong, false]);
    }
    const right = placed(given, changes);
    for (const wrong of sample(right, NEW + EDITS).slice(NEW)) {
      await write({ "others.yaml": right.others, "it.yaml": right.text });
      expect(await isOpen(given.url)).toBe(false);
      await write({ "others.yaml": right.others, "it.yaml": wrong });
      expect([wrong, await isOpen(given.url)]).toEqual([wrong, false]);
    }
  },
  60_000,
);
