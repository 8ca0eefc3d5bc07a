/**
 * An etcd and an API server of the test's own, which can be killed, come back, forget their history or be put back to an earlier
 * state. No controllers run on them.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { freePort } from "../harness/free-port.js";
import type { Closable } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { waitFor } from "../harness/wait.js";

/** A program that is killed and started again with the same words. */
class Server {
  readonly #words: readonly [string, ...string[]];
  readonly #log: string;
  readonly #isReady: () => Promise<boolean>;
  #child: ChildProcess | undefined;

  constructor(log: string, words: readonly [string, ...string[]], isReady: () => Promise<boolean>) {
    this.#log = log;
    this.#words = words;
    this.#isReady = isReady;
  }

  async start(): Promise<void> {
    const [program, ...words] = this.#words;
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (bytes: Buffer) => {
        appendFileSync(this.#log, bytes);
      });
    this.#child = child;
    await waitFor(
      `${program} is ready`,
      () => {
        return child.exitCode !== null || this.#isReady();
      },
      { deadline: 60_000, every: 50 },
    );
    if (child.exitCode !== null)
      throw new Error(`${program} ended: ${readFileSync(this.#log, "utf8").slice(-2000)}`);
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

export class ControlPlane implements Closable {
  readonly kubeconfig: string;
  readonly config = new KubeConfig();
  /** The one that the kubeconfig names. */
  readonly apiServer: Server;
  readonly etcd: Server;
  readonly #folder: string;
  readonly #etcdUrl: string;
  readonly #token: string;

  private constructor(folder: string, ports: Ports) {
    this.#folder = folder;
    this.#token = randomUUID();
    this.#etcdUrl = `http://127.0.0.1:${String(ports.etcd)}`;
    this.kubeconfig = join(folder, "kubeconfig");
    this.#writeCredentials();
    const url = `https://127.0.0.1:${String(ports.api)}`;
    writeFileSync(this.kubeconfig, JSON.stringify(kubeconfigOf(url, this.#token)));
    this.config.loadFromFile(this.kubeconfig);
    this.etcd = this.#createEtcd(ports.peer);
    this.apiServer = this.#createApiServer(ports.api);
  }

  static async start(): Promise<ControlPlane> {
    const ports = { api: await freePort(), etcd: await freePort(), peer: await freePort() };
    const plane = new ControlPlane(await makeTempFolder(), ports);
    try {
      await plane.etcd.start();
      await plane.apiServer.start();
      return plane;
    } catch (error: unknown) {
      await plane.close();
      throw error;
    }
  }

  /** Applies what a folder or file holds. */
  kubectl(...words: readonly string[]): string {
    return execFileSync("kubectl", ["--kubeconfig", this.kubeconfig, ...words], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Another API server on the same etcd: what it is told, that of the kubeconfig learns from its storage. */
  async otherDoor(): Promise<{ readonly config: KubeConfig; close(): Promise<void> }> {
    const port = await freePort();
    const server = this.#createApiServer(port);
    await server.start();
    const config = new KubeConfig();
    const url = `https://127.0.0.1:${String(port)}`;
    config.loadFromString(JSON.stringify(kubeconfigOf(url, this.#token)));
    return { config, close: () => server.kill() };
  }

  /** Forgets all changes up to now; only what is stays. */
  async compact(): Promise<void> {
    const { header } = (await this.#askEtcd("/v3/kv/range", { key: "AA==" })) as EtcdAnswer;
    await this.#askEtcd("/v3/kv/compaction", { revision: header.revision, physical: true });
  }

  /** To be put back later. Nothing may run meanwhile. */
  backUp(): void {
    cpSync(join(this.#folder, "etcd"), join(this.#folder, "backup"), { recursive: true });
  }

  restore(): void {
    rmSync(join(this.#folder, "etcd"), { recursive: true });
    cpSync(join(this.#folder, "backup"), join(this.#folder, "etcd"), { recursive: true });
  }

  async close(): Promise<void> {
    await this.apiServer.kill();
    await this.etcd.kill();
    await removeFolder(this.#folder);
  }

  #createEtcd(peerPort: number): Server {
    const peer = `http://127.0.0.1:${String(peerPort)}`;
    const words = [
      ...["--data-dir", join(this.#folder, "etcd"), "--unsafe-no-fsync"],
      ...["--listen-client-urls", this.#etcdUrl, "--advertise-client-urls", this.#etcdUrl],
      ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
      ...["--initial-cluster", `default=${peer}`],
    ];
    const isReady = async () => (await fetch(`${this.#etcdUrl}/health`)).ok;
    return new Server(join(this.#folder, "etcd.log"), ["etcd", ...words], isReady);
  }

  #createApiServer(port: number): Server {
    const at = (name: string) => join(this.#folder, name);
    const words = [
      `--etcd-servers=${this.#etcdUrl}`,
      ...["--bind-address=127.0.0.1", `--secure-port=${String(port)}`],
      // Nobody is told of it, but one that is no loopback address must be there.
      "--advertise-address=192.0.2.1",
      `--cert-dir=${at(`certificates-${String(port)}`)}`,
      ...[`--token-auth-file=${at("tokens.csv")}`, "--authorization-mode=RBAC"],
      ...["--service-cluster-ip-range=10.97.0.0/16", "--endpoint-reconciler-type=none"],
      ...["--service-account-issuer=https://tests", "--disable-admission-plugins=ServiceAccount"],
      ...[`--service-account-key-file=${at("key.pem")}`],
      ...[`--service-account-signing-key-file=${at("key.pem")}`],
    ];
    const ready = ["--server", `https://127.0.0.1:${String(port)}`, "get", "--raw", "/readyz"];
    const isReady = () => Promise.resolve(this.kubectl(...ready) === "ok");
    return new Server(at("api-server.log"), ["kube-apiserver", ...words], isReady);
  }

  async #askEtcd(path: string, body: object): Promise<unknown> {
    const answer = await fetch(this.#etcdUrl + path, {
      method: "POST",
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`etcd: ${String(answer.status)} ${await answer.text()}`);
    return answer.json();
  }

  #writeCredentials(): void {
    writeFileSync(
      join(this.#folder, "tokens.csv"),
      `${this.#token},admin,admin,"system:masters"\n`,
    );
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = privateKey.export({ type: "pkcs1", format: "pem" });
    writeFileSync(join(this.#folder, "key.pem"), key);
  }
}

interface Ports {
  readonly api: number;
  readonly etcd: number;
  readonly peer: number;
}

interface EtcdAnswer {
  readonly header: { readonly revision: string };
}

function kubeconfigOf(server: string, token: string): object {
  const name = "own";
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  };
}
