import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { EchoBackend } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { sendBytes } from "../harness/http-client.js";
import { ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();
const HOST = "web.example";
let backend: EchoBackend;

async function startGateway(...flags: string[]): Promise<Gateway> {
  const files = {
    "web.yaml": yaml(
      service("web", [{ port: backend.port }]),
      service("nobody"),
      secret("users", { auth: await htpasswdLine("ann", "open-sesame") }),
      ingress("web", {
        hosts: { [HOST]: [{ service: "web" }, { path: "/nobody", service: "nobody" }] },
      }),
      ingress("private", {
        annotations: nginx({ "auth-type": "basic", "auth-secret": "users" }),
        hosts: { "private.example": [{ service: "web" }] },
      }),
    ),
  };
  return scene.use(Gateway.start({ files, flags }));
}

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
});

describe("the access log", () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await startGateway();
  });

  /** The entry of the request for this path. */
  async function entry(path: string): Promise<Record<string, unknown>> {
    return waitFor(`the log has ${path}`, async () =>
      (await gateway.accessLog()).find((line) => line["path"] === path),
    );
  }

  it("has a JSON line for each request, with the route's name", async () => {
    await gateway.send({
      host: HOST,
      path: "/a?b=1",
      method: "POST",
      headers: [
        ["User-Agent", 'quo"te'],
        ["X-Request-ID", "id-1"],
      ],
      body: "x",
    });

    expect(await entry("/a")).toMatchObject({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as unknown,
      client: "127.0.0.1",
      method: "POST",
      host: HOST,
      protocol: "HTTP/1.1",
      status: 200,
      bytes: expect.any(Number) as unknown,
      duration: expect.any(Number) as unknown,
      upstream_addr: `127.0.0.1:${backend.port}`,
      upstream_status: "200",
      route: "ingress/default/web/0-0",
      reason: "",
      request_id: "id-1",
      user_agent: 'quo"te',
    });
  });

  it("has the reason of an error that the gateway makes", async () => {
    await gateway.send({ host: HOST, path: "/nobody" });
    await gateway.send({ host: "other.example", path: "/unrouted" });

    expect(await entry("/nobody")).toMatchObject({
      status: 503,
      route: "ingress/default/web/0-1",
      reason: "InvalidBalancer : no peer",
    });
    expect(await entry("/unrouted")).toMatchObject({
      status: 404,
      route: "",
      reason: "InvalidUpstream : no rule match",
    });
  });

  it("has a request that nginx refuses before it is routed", async () => {
    await sendBytes(gateway.target(), "GET /refused HTTP/1.1\r\n\r\n");

    expect(await entry("/refused")).toMatchObject({ status: 400, route: "" });
  });

  it("never has credentials, cookies or tokens", async () => {
    const credentials = basic("ann", "open-sesame");
    const response = await gateway.send({
      host: "private.example",
      path: "/secret?token=crown-jewels",
      headers: [
        ["Authorization", credentials],
        ["Cookie", "session=crown-jewels"],
        ["X-Api-Key", "crown-jewels"],
      ],
    });
    expect(response.status).toBe(200);
    expect(await entry("/secret")).toMatchObject({ user: "ann", auth: "passed" });
    const text = await gateway.readRunFile("logs/access.log");

    expect(text).not.toContain(credentials.slice(6));
    expect(text).not.toContain("open-sesame");
    expect(text).not.toContain("crown-jewels");
    expect(gateway.albc.log).not.toContain("open-sesame");
  });
});

describe("the access log's option", () => {
  it("off writes none", async () => {
    const gateway = await startGateway("--access-log", "off");
    expect((await gateway.send({ host: HOST })).status).toBe(200);

    expect(await readdir(join(gateway.runFolder, "logs"))).not.toContain("access.log");
  });

  it("stdout writes it to standard output", async () => {
    const gateway = await startGateway("--access-log", "stdout");
    await gateway.send({ host: HOST, path: "/to-stdout" });
    const line = await waitFor("standard output has the request", () =>
      gateway.albc.output.split("\n").find((text) => text.includes("/to-stdout")),
    );

    expect(JSON.parse(line)).toMatchObject({ path: "/to-stdout", status: 200 });
  });

  it("names another file below the run folder", async () => {
    const gateway = await startGateway("--access-log", "logs/requests.json");
    await gateway.send({ host: HOST, path: "/to-file" });

    await waitFor("the file has the request", async () =>
      (await gateway.readRunFile("logs/requests.json")).includes("/to-file"),
    );
  });

  it("has the chosen fields, in their order", async () => {
    const gateway = await startGateway("--access-log-fields", "status,uri,route");
    await gateway.send({ host: HOST, path: "/chosen?a=b" });

    const [line] = await waitFor("the log has a line", async () => {
      const lines = await gateway.accessLog();
      return lines.length > 0 && lines;
    });
    expect(JSON.stringify(line)).toBe(
      '{"status":200,"uri":"/chosen?a=b","route":"ingress/default/web/0-0"}',
    );
  });

  it.each([
    ["combined", /^127\.0\.0\.1 - ann \[[^\]]+\] "GET \/named\?a HTTP\/1\.1" 200 \d+ "-" "-"$/],
    [
      "upstreaminfo",
      /^127\.0\.0\.1 - ann \[[^\]]+\] "GET \/named\?a HTTP\/1\.1" 200 \d+ "-" "-" \d+ [\d.]+ \[ingress\/default\/private\/0-0\] \[\] 127\.0\.0\.1:\d+ \d+ [\d.]+ 200 \w+$/,
    ],
  ])("knows the format %s", async (name, line) => {
    const gateway = await startGateway("--access-log-format", name);
    const headers = [["Authorization", basic("ann", "open-sesame")]] as const;
    await gateway.send({ host: "private.example", path: "/named?a", headers });

    await waitFor("the log has the line", async () =>
      line.test((await gateway.readRunFile("logs/access.log")).trimEnd()),
    );
  });
});

describe("nginx's log level", () => {
  it("hides less severe messages", async () => {
    const message = "client sent HTTP/1.1 request without";
    const quiet = await startGateway();
    const talkative = await startGateway("--nginx-log-level", "info");
    for (const gateway of [quiet, talkative])
      await sendBytes(gateway.target(), "GET / HTTP/1.1\r\n\r\n");

    await waitFor("the message is logged", () => talkative.albc.log.includes(message));
    expect(quiet.albc.log).not.toContain(message);
  });
});
