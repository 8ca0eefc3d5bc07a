import {
  type ExplainRequest,
  cookieValue,
  headerValue,
  parseRequest,
  queryValue,
} from "../../../src/explain/request.js";

function request(url: string, ...headers: readonly string[]): ExplainRequest {
  const parsed = parseRequest({ method: "GET", url, headers, client: "192.0.2.1" });
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}

describe("parseRequest", () => {
  it.each([
    ["http://a.example/x?y", "http", "a.example", 80, "/x?y"],
    ["https://A.Example", "https", "a.example", 443, "/"],
    ["HTTP://a.example.:8080?x", "http", "a.example", 8080, "/?x"],
    ["https://[2001:db8::1]:8443/", "https", "[2001:db8::1]", 8443, "/"],
    ["http://a.example/x#part", "http", "a.example", 80, "/x"],
    ["http://a.example//x/../y", "http", "a.example", 80, "//x/../y"],
  ])("reads %s", (url, ...[scheme, host, port, target]) => {
    expect(request(url)).toMatchObject({ scheme, host, port, target });
  });

  it("takes a path with a Host header, even an empty one, and says of one without what it lacks", () => {
    expect(request("/x", "Host: a.example")).toMatchObject({ host: "a.example", port: 80 });
    expect(request("/x", "Host: ")).toMatchObject({ host: "" });
    expect(() => request("/x")).toThrow(/^the URL has no host: write http:\/\/<host>/);
  });

  it("takes the host of a Host header, and the port of the URL", () => {
    const given = request("http://127.0.0.1:8080/", "Host: B.Example:99");
    expect(given).toMatchObject({ host: "b.example", port: 8080 });
  });

  it.each([
    ["a.example/x"],
    ["http://"],
    ["ftp://a.example/"],
    ["http://user@a.example/"],
    ["http://a.example:0/"],
    ["http://a.example:70000/"],
    ["http://a:b:c/"],
  ])("refuses the URL %s", (url) => {
    expect(parseRequest({ method: "GET", url, headers: [], client: "::1" })).toMatchObject({
      ok: false,
    });
  });

  it.each([
    ["a header without a colon", { headers: ["X-A"] }],
    ["a header with a line break", { headers: ["X-A: b\r\nX-B: c"] }],
    ["a header whose name is none", { headers: ["X A: b"] }],
    ["a method that is none", { method: "G T" }],
    ["a client that is no address", { client: "localhost" }],
  ])("refuses %s", (_, part) => {
    const fine = { method: "GET", url: "http://a/", headers: [], client: "::1" };
    expect(parseRequest({ ...fine, ...part })).toMatchObject({ ok: false });
  });
});

describe("values of a request", () => {
  it("are header lines joined by commas, names without case", () => {
    const given = request("http://a/", "X-A: 1", "x-a:2 ", "X_A: 3");
    expect(headerValue(given, "x-a")).toBe("1,2");
    expect(headerValue(given, "x-b")).toBeUndefined();
    expect(headerValue(given, "host")).toBe("a");
  });

  // Asked of a real nginx with ngx.req.get_uri_args.
  it.each([
    ["?a=%", "a", "%"],
    ["?a=%zz1", "a", "%zz1"],
    ["?a=%4", "a", "%4"],
    ["?=x", "", undefined],
    ["?a", "a", ""],
    ["?a=", "a", ""],
    ["?a&a=2", "a", ""],
    ["?a=1&a=2", "a", "1"],
    ["?&&a=b", "a", "b"],
    ["?a=b=c", "a", "b=c"],
    ["?a%3Db=c", "a=b", "c"],
    ["?a+b=c+d", "a b", "c d"],
    ["?%61=1", "a", "1"],
    ["?a=1;b=2", "b", undefined],
    ["?[]=1", "[]", "1"],
    ["?a=b?c", "a", "b?c"],
    ["", "a", undefined],
  ])("are query parameters, decoded: %s", (query, name, value) => {
    expect(queryValue(request(`http://a/${query}`), name)).toBe(value);
  });

  it.each([
    ["a=1; b=2", "b", "2"],
    ["a=1; a=2", "a", "1"],
    ["A=1", "a", undefined],
    ["a = 1 ;b", "a", "1"],
    ["a", "a", undefined],
    ['a="x=y"', "a", '"x=y"'],
  ])("are cookies: %s", (line, name, value) => {
    expect(cookieValue(request("http://a/", `Cookie: ${line}`), name)).toBe(value);
  });
});
