/** The page of `--status-page` in a real browser, and `albc status` beside it. */
import { execFile } from "node:child_process";
import { type Server, createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Browser, type Page } from "../harness/browser.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort, listen } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { Health } from "../harness/health.js";
import { ingress, nginx, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const scene = useScene();
/** A server that the page would ask if the name of an object were HTML. */
let stranger: Server;
const asked: string[] = [];
let hostile: string;
let browser: Browser;
let gateway: Gateway;
let health: Health;
let port: number;

beforeAll(async () => {
  stranger = createServer((request, response) => {
    asked.push(String(request.url));
    response.end();
  });
  const strangerPort = await listen(stranger);
  await scene.use(Promise.resolve({ close: () => closed(stranger) }));
  hostile = `<script>document.title="owned"</script><img src=http://127.0.0.1:${String(strangerPort)}/ onerror=alert(1)>`;
  const earlier = {
    ...{ at: "2026-01-01T00:00:00.000Z", outcome: "reloaded", milliseconds: 3 },
    ...{ objects: [hostile], more: 0 },
  };
  browser = await scene.use(Browser.start());
  const backend = await scene.use(EchoBackend.start("web"));
  port = backend.port;
  health = new Health(await freePort());
  gateway = await scene.use(
    Gateway.start({
      files: { "site.yaml": site("shop.example") },
      // As an earlier run would have written it.
      runFiles: { "changes.json": JSON.stringify({ changes: [earlier] }) },
      flags: [...health.flags, "--status-page"],
      errors: [/./],
    }),
  );
}, 60_000);

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => {
      resolve();
    });
  });
}

function site(host: string): string {
  const annotations = nginx({ "auth-type": "basic", "auth-secret": "missing" });
  return yaml(
    service("web", [{ port }]),
    ingress("shop", { hosts: { [host]: [{ service: "web" }] } }),
    ingress("closed", { annotations, hosts: { "closed.example": [{ service: "web" }] } }),
  );
}

const url = (): string => `http://127.0.0.1:${String(health.port)}/status`;

/** Texts of the cells of the table below a heading. */
async function table(page: Page, heading: string): Promise<readonly (readonly string[])[]> {
  const rows = await page.evaluate(`(() => {
    const found = [...document.querySelectorAll("h2")].find((h2) => h2.innerText.startsWith(${JSON.stringify(heading)}));
    const rows = found?.nextElementSibling?.querySelectorAll("tbody tr") ?? [];
    return [...rows].map((row) => [...row.children].map((cell) => cell.innerText));
  })()`);
  return rows as string[][];
}

test("a user sees what is served, what is broken, and the last changes", async () => {
  await gateway.change("site.yaml", site("other.example"));
  const page = await waitFor("the change is on the page", async () => {
    const opened = await browser.open(url());
    return String(await opened.evaluate("document.body.innerText")).includes("swapped") && opened;
  });
  expect(await page.evaluate("document.title")).toBe("albc: 1 broken object");
  const { version } = await gateway.status();
  const text = String(await page.evaluate("document.body.innerText"));
  expect(text).toContain(version);
  expect(text).toContain("2 of 2 serve it");
  expect(await table(page, "Broken")).toEqual([
    [
      "Ingress default/closed",
      "closed.example/…",
      "503 AuthFail : invalid cfg secret default/missing not found",
    ],
  ]);
  const listeners = await table(page, "Listeners");
  expect(listeners).toHaveLength(2);
  expect(listeners).toContainEqual([String(gateway.httpPort), "http", "2", "2", "any"]);
  const changes = await table(page, "Recent changes");
  expect(changes.map(([, outcome, , objects]) => [outcome, objects])).toEqual([
    ["swapped", "Ingress default/shop"],
    ["started", "all objects"],
    ["reloaded", hostile],
  ]);
  for (const [time, , took] of changes) {
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(took).toMatch(/^\d+ ms$/);
  }
});

test("what users write is text: it runs nothing, and nothing is fetched from elsewhere", async () => {
  const page = await browser.open(url());
  expect(await page.evaluate("document.body.innerText")).toContain(hostile);
  expect(await page.evaluate("document.title")).toBe("albc: 1 broken object");
  expect(await page.evaluate("document.querySelectorAll('script, img').length")).toBe(0);
  // The style's hash fits, or the browser would say that it refuses it.
  expect(page.problems()).toEqual([]);
  expect(new Set(page.requests())).toEqual(new Set([url()]));
  expect(asked).toEqual([]);
});

test("text that were HTML would run and load nothing either, because the browser is told so", async () => {
  const page = await browser.open(url());
  await page.evaluate(`document.body.innerHTML = ${JSON.stringify(hostile)}`);
  await waitFor("the browser refuses it", () => /img-src|default-src/.test(page.problems().join()));
  expect(asked).toEqual([]);
});

test.each([
  ["a phone", { width: 360 }],
  ["dark mode", { scheme: "dark" as const }],
])("it is readable on %s", async (_, window) => {
  const page = await browser.open(url(), window);
  const { width = 1000 } = window as { readonly width?: number };
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  expect(await page.evaluate("getComputedStyle(document.querySelector('.state')).color")).toBe(
    "scheme" in window ? "rgb(255, 128, 128)" : "rgb(168, 7, 26)",
  );
});

test("it looks again by itself", async () => {
  const page = await browser.open(url());
  await waitFor("it is loaded again", () => page.requests().length > 1);
});

test("albc status says the same", async () => {
  const run = promisify(execFile)(process.execPath, [MAIN, "status", gateway.runFolder]);
  const { code, stdout } = (await run.catch((error: unknown) => error)) as {
    readonly code: number;
    readonly stdout: string;
  };
  expect(code).toBe(1);
  expect(stdout).toContain(`policy     ${(await gateway.status()).version}`);
  expect(stdout).toMatch(/RECENT CHANGES[^]*swapped +\d+ ms +Ingress default\/shop\n/);
});
