import { resolveSettings } from "../../../src/cli/settings.js";
import { SETTINGS, flagOf, variableOf } from "../../../src/cli/settings-table.js";

test("a key has one flag and one variable", () => {
  expect(flagOf("trustedProxies")).toBe("--trusted-proxies");
  expect(variableOf("trustedProxies")).toBe("ALBC_TRUSTED_PROXIES");
  expect(variableOf("http2Streams")).toBe("ALBC_HTTP2_STREAMS");
  for (const name of [flagOf, variableOf]) {
    expect(new Set(SETTINGS.map(({ key }) => name(key))).size).toBe(SETTINGS.length);
  }
});

test("every default is a valid value", () => {
  expect(() => resolveSettings({ flags: {}, variables: {} })).not.toThrow();
});
