import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { headersView, variableName } from "../../../../src/render/nginx/server-view.js";
import type { NginxText } from "../../../../src/render/nginx/text.js";
import { TLS_SERVER } from "../../../support/data-plane-config.js";

function view(options: object): { headers: Map<string, string>; http: string[]; grpc: string[] } {
  const { headers, dropped } = headersView(TLS_SERVER, {
    ...DEFAULT_OPTIONS.dataPlane,
    ...options,
  }) as { headers: readonly Record<"name" | "value", unknown>[]; dropped: NginxText };
  const names = (directive: string): string[] =>
    [...dropped.toString().matchAll(new RegExp(`${directive} (\\S+) "";`, "g"))].map(
      ([, name = ""]) => name,
    );
  return {
    headers: new Map(headers.map(({ name, value }) => [String(name), String(value)])),
    http: names("proxy_set_header"),
    grpc: names("grpc_set_header"),
  };
}

test("without trusted proxies, headers tell the connection and claims are dropped", () => {
  const { headers, http, grpc } = view({});
  expect(headers.get("X-Forwarded-Proto")).toBe("https");
  expect(headers.get("X-Forwarded-Port")).toBe("443");
  expect(headers.has("Forwarded")).toBe(false);
  expect(http).toEqual(expect.arrayContaining(["Forwarded", "X-Original-Host", "X_Original_Host"]));
  expect(grpc).toContain("X-Original-Host");
  expect(grpc).not.toContain("X_Original_Host");
});

test("with trusted proxies, headers and claims come from variables", () => {
  const { headers, http } = view({ trustedProxies: ["10.0.0.0/8"] });
  expect(headers.get("X-Forwarded-Proto")).toBe("$albc_scheme");
  expect(headers.get("X-Original-Host")).toBe("$albc_x_original_host");
  expect(http).not.toContain("X-Original-Host");
  expect(http).toContain("X_Original_Host");
});

test.each([{}, { trustedProxies: ["10.0.0.0/8"] }])(
  "with %p, every spelling with _ is dropped",
  (options) => {
    const { headers, http } = view(options);
    for (const name of headers.keys()) {
      if (name.includes("-")) expect(http).toContain(name.replaceAll("-", "_"));
      expect(http).not.toContain(name);
    }
    expect(http).toContain("Content_Length");
    expect(new Set(http).size).toBe(http.length);
  },
);

test("a header's variable is in lower case with _", () => {
  expect(variableName("X-Sent-From")).toBe("x_sent_from");
});
