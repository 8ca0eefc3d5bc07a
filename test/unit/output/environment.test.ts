import { X509Certificate, createPrivateKey } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  environmentConf,
  environmentFiles,
  machineFacts,
  nameServers,
} from "../../../src/output/environment.js";
import { contentsOf } from "../../../src/render/rendered-file.js";
import { EnvironmentError } from "../../../src/support/errors.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

describe("name servers", () => {
  const RESOLV_CONF = `# nameserver 192.0.2.9
search svc.cluster.local
nameserver 10.96.0.10
nameserver\t2001:db8::53
nameserver fe80::1%eth0
nameserver not-an-address
`;

  test("are those of resolv.conf that nginx can ask", () => {
    expect(nameServers([], RESOLV_CONF)).toEqual(["10.96.0.10", "2001:db8::53"]);
  });

  test("are the given ones when there are some", () => {
    expect(nameServers(["127.0.0.1:5353"], RESOLV_CONF)).toEqual(["127.0.0.1:5353"]);
  });
});

test("the file names the servers with IPv6 in brackets, and the authorities", () => {
  const servers = ["10.96.0.10", "2001:db8::53", "127.0.0.1:5353", "[::1]:53", "[::2]"];
  expect(environmentConf({ servers, ipv6: true, trustsAuthorities: true, keepsIdle: true })).toBe(
    [
      "# Written by albc when it started: what is known only on this machine.",
      "resolver 10.96.0.10 [2001:db8::53] 127.0.0.1:5353 [::1]:53 [::2] valid=30s ipv6=on;",
      "resolver_timeout 5s;",
      'lua_ssl_trusted_certificate "environment/ca.pem";',
      "keepalive_min_timeout 5s;",
      "",
    ].join("\n"),
  );
});

test("without any of it the file says nothing", () => {
  const text = environmentConf({
    servers: [],
    ipv6: false,
    trustsAuthorities: false,
    keepsIdle: false,
  });
  expect(text).toMatch(/^#[^\n]*\n$/);
});

test.each([
  ["1.26.3", false],
  ["1.27.3", false],
  ["1.27.4", true],
  ["1.30.6", true],
  ["2.0.0", true],
  [undefined, false],
])("idle connections outlive a reload of nginx %s: %s", async (nginx, keeps) => {
  const [conf] = await environmentFiles({
    resolver: ["10.0.0.1"],
    caFile: "",
    folder: folder(),
    ...(nginx !== undefined && { nginx }),
  });
  expect(conf !== undefined && contentsOf(conf).includes("keepalive_min_timeout")).toBe(keeps);
});

test("the CA file that is named is copied into the run folder", async () => {
  const caFile = join(folder(), "my-ca.pem");
  writeFileSync(caFile, "CA\n");
  const files = await environmentFiles({ resolver: ["10.0.0.1"], caFile, folder: folder() });
  expect(files.map(({ path }) => path)).toEqual([
    "environment/http.conf",
    "environment/ca.pem",
    "environment/self-signed.pem",
  ]);
  expect(files[1]?.contents).toBe("CA\n");
  expect(files[0]?.contents).toContain("lua_ssl_trusted_certificate");
});

test("the self-signed certificate of the run folder stays", async () => {
  const made = async (): Promise<string> => {
    const files = await environmentFiles({ resolver: [], caFile: "", folder: folder() });
    const file = files.find(({ path }) => path === "environment/self-signed.pem");
    return file === undefined ? "" : contentsOf(file);
  };
  const first = await made();
  const certificate = new X509Certificate(first);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(first))).toBe(true);
  expect(await made()).not.toBe(first);
  mkdirSync(join(folder(), "environment"));
  writeFileSync(join(folder(), "environment/self-signed.pem"), first);
  expect(await made()).toBe(first);
});

test("one that is not there is an error", async () => {
  const caFile = join(folder(), "absent.pem");
  await expect(environmentFiles({ resolver: [], caFile, folder: folder() })).rejects.toThrow(
    new EnvironmentError(`the CA file ${caFile} does not exist`),
  );
});

test("addresses of default routes are the machine's, and none is a loopback address", async () => {
  const { machineAddresses, routedAddresses } = await machineFacts();
  expect(machineAddresses).toEqual(expect.arrayContaining([...routedAddresses]));
  expect(routedAddresses).not.toContain("127.0.0.1");
});
