import { HelpShown, parseArguments } from "../../../src/cli/arguments.js";
import { UsageError } from "../../../src/cli/terminal.js";

function parse(...words: string[]): unknown {
  return parseArguments(words, {
    version: "1.2.3",
    write: () => undefined,
  });
}

test("render takes paths, a folder and flags of the settings table", () => {
  expect(
    parse("render", "-f", "a", "-f", "b", "-o", "out", "--http-port", "8080", "--ipv6", "false"),
  ).toEqual({
    command: "render",
    paths: ["a", "b"],
    kubernetes: false,
    config: undefined,
    flags: { httpPort: "8080", ipv6: "false" },
    output: "out",
    check: false,
    requireObjects: false,
    emit: undefined,
  });
});

test("a switch without a value is on", () => {
  expect(parse("validate", "-f", "a", "--proxy-protocol")).toMatchObject({
    flags: { proxyProtocol: true },
  });
});

test("a switch takes no argument of the command for its value", () => {
  const words = ["GET", "http://x/"];
  const flags = { proxyProtocol: "true" };
  const call = { method: "GET", url: "http://x/" };
  expect(parse("explain", "-f", "a", "--proxy-protocol", ...words)).toMatchObject({
    ...call,
    flags,
  });
  expect(parse("explain", "-f", "a", "--proxy-protocol", "false", ...words)).toMatchObject({
    ...call,
    flags: { proxyProtocol: "false" },
  });
  expect(parse("diff", "--proxy-protocol", "a", "b")).toMatchObject({ before: "a", now: "b" });
  expect(() => parse("validate", "-f", "a", "--proxy-protocol", "maybe")).toThrow('"maybe"');
});

test("explain assumes GET", () => {
  for (const url of ["http://x/", "https://x", "/y"])
    expect(parse("explain", "-f", "a", url)).toMatchObject({ method: "GET", url });
});

test("diff fails for lost auth, or for what is given", () => {
  expect(parse("diff", "a", "b")).toMatchObject({ failOn: ["authLost"] });
  expect(parse("diff", "a", "b", "--fail-on", "unserved, auth-changed,rerouted")).toMatchObject({
    failOn: ["removed", "authChanged", "rerouted"],
  });
});

test("explain takes a method, a URL and headers", () => {
  expect(parse("explain", "-f", "a", "GET", "http://x/", "-H", "A: 1", "-H", "B: 2")).toMatchObject(
    {
      method: "GET",
      url: "http://x/",
      headers: ["A: 1", "B: 2"],
      client: "127.0.0.1",
    },
  );
});

test.each([
  [["render", "-f", "a"], "render needs -o DIR or --emit STAGE"],
  [["render", "-f", "a", "--emit", "policy", "--check"], "--check needs -o DIR"],
  [["render", "-o", "x"], "no input: give -f PATH"],
  [["run", "-f", "a", "--reload", "hup"], "--reload must be control:FOLDER or command:COMMAND"],
  [["validate", "m"], 'what is "m"? Files and folders are named by -f, such as -f m'],
  [["validate", "-f", "a", "--fail-on", "info"], "Allowed choices are error, warning"],
  [["explain", "-f", "a"], "explain needs the URL of a request, such as `https://a.example/path`"],
  [["explain", "-f", "a", "POST"], "explain needs the URL of a request, such as `https://a"],
  [
    ["explain", "-f", "a", "http://x/", "--expect", "ok"],
    '--expect must be a status such as 200, but is "ok"',
  ],
  [
    ["validate", "-f", "a", "--ignore", "SERVICE_NOT_FUND"],
    "--ignore: there is no code SERVICE_NOT_FUND; docs/diagnostics.md lists them",
  ],
  [
    ["diff", "a", "b", "--fail-on", "lost,gained"],
    '--fail-on must be a list of some of lost, auth-changed, unserved, rerouted, but is "lost,gained"',
  ],
  [["rnder", "-f", "a"], "unknown command"],
  [["run", "-f", "a", "--wrokers", "1"], "unknown option"],
  [[], "no command"],
  [
    ["validate", "-f", "a", "--selector", "shard=a"],
    "--selector limits what is read from a cluster: it needs --kubernetes",
  ],
  [["diff", "a", "b", "--secret-namespaces", "*"], "--secret-namespaces limits"],
])("%j is a usage error", (words, message) => {
  expect(() => parse(...words)).toThrow(UsageError);
  expect(() => parse(...words)).toThrow(message);
});

test("help and version are not errors", () => {
  expect(() => parse("--help")).toThrow(HelpShown);
  expect(() => parse("run", "--help")).toThrow(HelpShown);
  expect(() => parse("--version")).toThrow(HelpShown);
});

test("what to explain is named once", () => {
  const url = ["GET", "http://a.example/"];
  expect(parse("explain", "--running", ".albc", ...url)).toMatchObject({
    running: ".albc",
    paths: [],
  });
  expect(() => parse("explain", ...url)).toThrow(
    "no input: give -f PATH or --kubernetes or --policy or --running",
  );
  expect(() => parse("explain", "-f", "a", "--kubernetes", ...url)).toThrow("give only one of");
});

test("diff takes two sides, or the cluster and one", () => {
  expect(parse("diff", "main:a", "a")).toMatchObject({ before: "main:a", now: "a" });
  expect(parse("diff", "--kubernetes", "a")).toMatchObject({ before: undefined, now: "a" });
  expect(() => parse("diff", "a")).toThrow("diff needs OLD and NEW");
  expect(() => parse("diff", "--kubernetes", "a", "b")).toThrow("diff needs OLD and NEW");
});

test.each(["run", "explain"])(
  "the help of %s lists its own options before the settings",
  (name) => {
    let help = "";
    const context = { version: "1", write: (text: string) => (help += text) };
    expect(() => parseArguments([name, "--help"], context)).toThrow(HelpShown);

    expect(help.indexOf("--help")).toBeGreaterThan(0);
    expect(help.indexOf("--help")).toBeLessThan(help.indexOf("--http-port"));
  },
);
