import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { headersView } from "../../../../src/render/nginx/server-view.js";
import { TLS_SERVER } from "../../../support/data-plane-config.js";

function view(options: object): ReadonlyMap<string, string> {
  const { headers } = headersView(
    TLS_SERVER,
    {
      ...DEFAULT_OPTIONS.dataPlane,
      ...options,
    },
    true,
  ) as { headers: readonly Record<"name" | "value", unknown>[] };
  return new Map(headers.map(({ name, value }) => [String(name), String(value)]));
}

test("without trusted proxies, headers tell the connection", () => {
  const headers = view({});
  expect(headers.get("X-Forwarded-Proto")).toBe("https");
  expect(headers.get("X-Forwarded-Port")).toBe("443");
});

test("with trusted proxies, headers come from variables", () => {
  const headers = view({ trustedProxies: ["10.0.0.0/8"] });
  expect(headers.get("X-Forwarded-Proto")).toBe("$albc_scheme");
  expect(headers.get("X-Forwarded-Port")).toBe("$albc_fwd_port");
});
