import { resourcesFromYaml } from "../../../../src/input/load.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import {
  classParameters,
  ownParameters,
  parametersFor,
} from "../../../../src/translate/gateway/parameters.js";
import { object } from "../../../support/gateway-route-objects.js";

const REF = { group: "", kind: "ConfigMap" };

function configMap(name: string, data: object): string {
  const metadata = { name, namespace: "default" };
  return `\n---\n${JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data })}`;
}

/** A Gateway and its class, with parameters of each. */
function world(ofClass: object | undefined, own: object | undefined) {
  const parametersRef = ofClass && { ...REF, name: "class", namespace: "default" };
  const infrastructure = own && { parametersRef: { ...REF, name: "own" } };
  const { controllerName } = DEFAULT_OPTIONS;
  const { resources } = resourcesFromYaml(
    object("GatewayClass", "albc", { controllerName, parametersRef }, "") +
      object("Gateway", "gw", {
        gatewayClassName: "albc",
        infrastructure,
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      }) +
      (ofClass ? configMap("class", ofClass) : "") +
      (own ? configMap("own", own) : ""),
  );
  const [gateway] = resources.list("Gateway");
  const [gatewayClass] = resources.list("GatewayClass");
  if (gateway === undefined || gatewayClass === undefined) throw new Error("not read");
  return { resources, gateway, gatewayClass };
}

test("a Gateway's own parameters come before those of its class, and these before options", () => {
  const { resources, gateway } = world(
    { bodyLimit: "1k", gatewayAddresses: "10.0.0.1" },
    { bodyLimit: "2k" },
  );
  const options: CompileOptions = { ...DEFAULT_OPTIONS, gatewayAddresses: ["10.9.9.9"] };
  expect(parametersFor(gateway, { resources, options })).toEqual({
    bodyLimit: 2048,
    gatewayAddresses: ["10.0.0.1"],
  });
});

test("without parameters the options hold", () => {
  const { resources, gateway } = world(undefined, undefined);
  const options = { ...DEFAULT_OPTIONS, gatewayAddresses: ["10.9.9.9"] };
  expect(parametersFor(gateway, { resources, options })).toEqual({
    bodyLimit: DEFAULT_OPTIONS.dataPlane.bodyLimit,
    gatewayAddresses: ["10.9.9.9"],
  });
});

test.each([
  [{ bodyLimit: "many" }, /^key bodyLimit of ConfigMap default\/class /],
  [{ bodyLimits: "1k" }, /is no parameter here; .*bodyLimit/],
  [{ gatewayAddresses: "10.0.0.0/99" }, /must be a list of IP addresses and CIDRs$/],
])("parameters %j of a class are invalid", (data, problem) => {
  const { resources, gatewayClass } = world(data, undefined);
  const read = classParameters(gatewayClass, resources);
  expect(read).toMatchObject({ ok: false, problem: expect.stringMatching(problem) as string });
});

test("a Gateway can't choose the addresses that it may have", () => {
  const { resources, gateway } = world(undefined, { gatewayAddresses: "10.0.0.1" });
  expect(ownParameters(gateway, resources).ok).toBe(false);
});
