import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { reservedProblem } from "../../../../src/translate/auth/reserved-addresses.js";
import { parseAuthUrl } from "../../../../src/translate/auth/url.js";

const OPTIONS = {
  ...DEFAULT_OPTIONS,
  authAddresses: [],
  healthAddress: "0.0.0.0:10254",
  machineAddresses: ["10.1.2.3"],
};

/** Undefined: the URL may be asked. */
function problemOf(host: string, more: object = {}): string | undefined {
  const url = parseAuthUrl(`http://${host}/verify`);
  return url.ok ? reservedProblem(url.value.url, { ...OPTIONS, ...more }) : url.problem;
}

test.each([
  ...["127.0.0.1", "127.255.255.254", "127.0.0.1:8080", "0.0.0.0", "0.1.2.3"],
  ...["localhost", "LOCALHOST:80", "a.localhost", "localhost.localdomain", "ip6-localhost"],
  ...["169.254.169.254", "169.254.0.1", "[fe80::1]", "[febf::1]", "[fd00:ec2::254]"],
  ...["[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
  ...["[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[::127.0.0.1]", "[0::0001]"],
  ...["[64:ff9b::169.254.169.254]", "[64:ff9b::7f00:1]"],
  // Numbers that some programs read as addresses.
  ...["127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.0x1", "0177.0.0.1"],
  ...["0177.0x0.0.1", "0xa9fea9fe", "0xA9.254.169.254", "2852039166", "127.0.0.0x1", "1"],
])("%s is refused", (host) => {
  expect(problemOf(host)).toMatch(/loopback or link-local|invalid IPv4 address/);
});

test.each([
  ...["auth.example", "10.0.0.1", "169.253.1.1", "128.0.0.1", "[fd00::1]", "[2001:db8::1]"],
  ...["localhost.example", "notlocalhost", "oauth2-proxy.auth.svc", "0x.example", "10.1.2.3:80"],
  // Only a request shows it.
  ...["$host", "$http_x_auth"],
])("%s is not", (host) => {
  expect(problemOf(host)).toBeUndefined();
});

test("albc's health address is refused, whatever is allowed", () => {
  for (const host of ["10.1.2.3:10254", "127.0.0.1:10254", "localhost:10254"]) {
    const problem = problemOf(host, { authAddresses: ["127.0.0.0/8", "10.0.0.0/8"] });
    expect([host, problem]).toEqual([host, "names the health address of albc"]);
  }
});

test("the option allows what it lists, and from files loopback is allowed", () => {
  const authAddresses = ["169.254.20.10", "::1"];
  expect(problemOf("169.254.20.10", { authAddresses })).toBeUndefined();
  expect(problemOf("[::1]", { authAddresses })).toBeUndefined();
  expect(problemOf("169.254.20.11", { authAddresses })).toBeDefined();
  expect(problemOf("127.0.0.1", { authAddresses })).toBeDefined();
  for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
    expect(problemOf(host, { authAddresses: DEFAULT_OPTIONS.authAddresses })).toBeUndefined();
  }
});
