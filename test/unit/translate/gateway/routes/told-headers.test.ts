/** Whatever nginx.conf sends to backends of its own accord, a filter can't change: where it could not, the route says so. */
import { compile } from "../../../../../src/compile.js";
import { resourcesFromYaml } from "../../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../../src/options.js";
import { contentsOf } from "../../../../../src/render/rendered-file.js";
import { gateway, httpRoute, WEB } from "./gateway-objects.js";

function compiled(modifier: object, trustedProxies: readonly string[] = []) {
  const filters = [{ type: "RequestHeaderModifier", requestHeaderModifier: modifier }];
  const { resources } = resourcesFromYaml(
    gateway() + httpRoute("r", [{ filters, backendRefs: WEB }]),
  );
  const dataPlane = { ...DEFAULT_OPTIONS.dataPlane, trustedProxies };
  return compile(resources, { ...DEFAULT_OPTIONS, dataPlane });
}

function refused(modifier: object): string | undefined {
  return compiled(modifier).diagnostics.find(({ code }) => code === "ROUTE_VALUE_UNSUPPORTED")
    ?.message;
}

function sentTo(trustedProxies: readonly string[]): readonly string[] {
  const conf = compiled({ set: [{ name: "X-A", value: "b" }] }, trustedProxies).files.find(
    ({ path }) => path === "nginx.conf",
  );
  const text = conf === undefined ? "" : contentsOf(conf);
  return [...text.matchAll(/proxy_set_header "?([\w-]+)/g)].map(([, name = ""]) => name);
}

/** The filter's value takes part in what is sent. */
const CHANGEABLE = ["Host", "X-Forwarded-For", "X-Forwarded-Prefix", "X-Request-ID"];
const names = [...new Set([...sentTo([]), ...sentTo(["10.0.0.0/8"])])].sort();

it("finds what is sent", () => {
  expect(names.length).toBeGreaterThan(30);
  expect(names).toEqual(
    expect.arrayContaining([...CHANGEABLE, "X-Real-IP", "X_Real_IP", "Forwarded"]),
  );
});

it.each(names)("%s", (name) => {
  for (const action of ["set", "add"]) {
    const message = refused({ [action]: [{ name, value: "mine" }] });
    const mayBe = CHANGEABLE.includes(name) && !(name === "Host" && action === "add");
    expect({ action, isRefused: message !== undefined }).toEqual({ action, isRefused: !mayBe });
  }
});

it.each(["X-Real-IP", "x-forwarded-proto", "X-Forwarded-For", "X-Scheme", "Host"])(
  "%s can't be removed",
  (name) => {
    expect(refused({ remove: [name] })).toBeDefined();
  },
);

it.each(["Forwarded", "X-Original-URL", "X_Real_IP", "X-Request-ID", "X-Forwarded", "User-Agent"])(
  "%s is gone when it is removed",
  (name) => {
    expect(refused({ remove: [name] })).toBeUndefined();
  },
);
