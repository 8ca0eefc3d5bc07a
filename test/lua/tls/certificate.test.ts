import { once } from "node:events";
import { type ConnectionOptions, connect } from "node:tls";
import { type KeyPair, selfSigned } from "../../../e2e/harness/certificates.js";
import { selfSigned as newSelfSigned } from "../../../src/output/self-signed.js";
import { POLICY_FORMAT } from "../../../src/model/policy.js";
import { freePort } from "../../support/free-port.js";
import { type LuaNginx, startLuaNginx } from "../../support/lua-nginx.js";

/** Certificate for each host key of the server `main`; the name in it says which one it is. */
const keys = {
  "": "default",
  "a.example": "exact",
  "*.example": "one-label",
  "*.a.example": "one-label-below-a",
  "**.b.example": "any-depth",
  "**.c.b.example": "any-depth-longer",
} as const;

let ports: Record<"main" | "bare" | "broken", number>;
let nginx: LuaNginx;

const server = (id: string, port: number) => `
server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate $albc_none;
    ssl_certificate_key $albc_none;
    ssl_certificate_by_lua_block { require("alb.tls.certificate").serve("${id}") }
    location / { return 204; }
}`;

/** As the run folder holds it: key and chain in one file. */
const pem = ({ certificate, key }: KeyPair) => key + certificate;

function policy(): string {
  const entries: [string, string][] = Object.entries(keys).map(([key, name]) => [
    `main|${key}`,
    `certificates/${name}.pem`,
  ]);
  return JSON.stringify({
    format: POLICY_FORMAT,
    version: "1",
    settings: { authTimeout: 1, authTlsVerify: true },
    servers: {},
    hosts: {},
    routes: {},
    auths: {},
    upstreams: {},
    certificates: {
      ...Object.fromEntries(entries),
      // Of another namespace than the wildcard above it.
      "main|own.example": "",
      "broken|": "certificates/broken.pem",
      "broken|missing.example": "certificates/no-such-file.pem",
    },
  });
}

beforeAll(async () => {
  ports = { main: await freePort(), bare: await freePort(), broken: await freePort() };
  const pairs = await Promise.all(Object.values(keys).map((name) => selfSigned(`${name}.test`)));
  const files = Object.values(keys).map((name, i): [string, string] => {
    const pair = pairs[i];
    if (pair === undefined) throw new Error(`no pair for ${name}`);
    return [`certificates/${name}.pem`, pem(pair)];
  });
  const servers = Object.entries(ports).map(([id, port]) => server(id, port));
  nginx = await startLuaNginx({
    http: `
      init_by_lua_block { require("alb.policy.loader").start() }
      init_worker_by_lua_block { require("alb.policy.index").sync() }
      map "" $albc_none { default ""; }
      ${servers.join("")}`,
    files: {
      "policy.json": policy(),
      "environment/self-signed.pem": newSelfSigned(),
      "certificates/broken.pem": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      ...Object.fromEntries(files),
    },
  });
});
afterAll(() => nginx.stop());

/** Name in the certificate that a client of this server name is shown. */
async function shown(options: ConnectionOptions, port = ports.main): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
  try {
    await once(socket, "secureConnect");
    return String(socket.getPeerCertificate().subject.CN);
  } finally {
    socket.destroy();
  }
}

describe("the certificate for a server name", () => {
  it.each([
    ["a.example", "exact"],
    ["A.EXAMPLE", "exact"],
    ["x.example", "one-label"],
    ["x.a.example", "one-label-below-a"],
    ["y.x.a.example", "default"],
    ["x.b.example", "any-depth"],
    ["y.x.b.example", "any-depth"],
    ["x.c.b.example", "any-depth-longer"],
    ["c.b.example", "any-depth"],
    ["b.example", "one-label"],
    ["own.example", "default"],
    ["example", "default"],
    ["a.example.other", "default"],
  ])("of %s is %s", async (servername, name) => {
    expect(await shown({ servername })).toBe(`${name}.test`);
  });

  it("is the default for a client that names none", async () => {
    expect(await shown({ servername: "" })).toBe("default.test");
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)("is served over %s", async (version) => {
    const options = { servername: "a.example", minVersion: version, maxVersion: version };

    expect(await shown(options)).toBe("exact.test");
  });

  it("is the same on every handshake", async () => {
    const names = await Promise.all(
      Array.from({ length: 20 }, () => shown({ servername: "a.example" })),
    );

    expect(new Set(names)).toEqual(new Set(["exact.test"]));
  });
});

describe("a handshake", () => {
  const mentions = (text: string) => nginx.errorLog().split(text).length - 1;

  it("without a certificate gets the self-signed one, and the log says so once", async () => {
    for (const servername of ["a.example", "b.example", "c.example"]) {
      expect(await shown({ servername }, ports.bare)).toBe("albc self-signed certificate");
    }

    expect(mentions("no certificate on bare for a.example")).toBe(1);
    expect(mentions("no certificate on bare for")).toBe(1);
  });

  it("ends when the file can't be used, rather than with another certificate", async () => {
    await expect(shown({ servername: "x.example" }, ports.broken)).rejects.toThrow();
    await expect(shown({ servername: "missing.example" }, ports.broken)).rejects.toThrow();

    expect(mentions("certificates/broken.pem: certificate: ")).toBeGreaterThan(0);
    expect(mentions("certificates/no-such-file.pem: ")).toBeGreaterThan(0);
  });
});
