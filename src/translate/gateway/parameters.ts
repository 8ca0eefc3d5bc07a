/**
 * Reads the ConfigMap that a parametersRef names. Parameters of a Gateway override those of its class (Gateway API,
 * GatewayClassSpec.parametersRef and GatewayInfrastructure.parametersRef). The keys are names of options.
 */
import type { ConfigMap } from "../../api/wire.js";
import type { Gateway, GatewayClass, ObjectReference } from "../../api/gateway.js";
import type { RoutingResources } from "../../input/resources.js";
import { parseByteSize } from "../../support/units.js";
import { didYouMean } from "../../support/did-you-mean.js";
import { parseIpRange } from "../../support/ip-address.js";
import { type Result, ok, problem } from "../../support/result.js";
import { textList } from "../../support/text.js";
import type { TranslateContext } from "../context.js";

interface GatewayParameters {
  /** Addresses and CIDRs of which each Gateway gets one of its own; empty: Gateways share all addresses. */
  readonly gatewayAddresses?: readonly string[];
  /** Bytes of the largest request body; 0: no limit. */
  readonly bodyLimit?: number;
}

const NONE: GatewayParameters = {};

/** The parameters of a class. */
export function classParameters(
  { spec: { parametersRef: ref } }: GatewayClass,
  resources: RoutingResources,
): Result<GatewayParameters> {
  if (ref === undefined) return ok(NONE);
  if (ref.namespace === undefined)
    return problem(`parametersRef names no namespace of ${ref.kind} ${ref.name}`);
  return parametersOf(ref, ref.namespace, OF_CLASSES, resources);
}

/** The Gateway's own parameters; the ConfigMap is in its namespace. */
export function ownParameters(
  { spec: { infrastructure }, metadata: { namespace } }: Gateway,
  resources: RoutingResources,
): Result<GatewayParameters> {
  const ref = infrastructure?.parametersRef;
  return ref === undefined ? ok(NONE) : parametersOf(ref, namespace, OF_GATEWAYS, resources);
}

/** The parameters in force for a Gateway: its own, then those of its class, then the options. */
export function parametersFor(
  gateway: Gateway,
  { resources, options }: Pick<TranslateContext, "resources" | "options">,
): Required<GatewayParameters> {
  const ofClass = resources.get("GatewayClass", "", gateway.spec.gatewayClassName);
  const { gatewayAddresses, dataPlane } = options;
  return {
    gatewayAddresses,
    bodyLimit: dataPlane.bodyLimit,
    ...(ofClass && valueOf(classParameters(ofClass, resources))),
    ...valueOf(ownParameters(gateway, resources)),
  };
}

/** Invalid parameters count as none: no Gateway is served with them. */
function valueOf(parameters: Result<GatewayParameters>): GatewayParameters {
  return parameters.ok ? parameters.value : NONE;
}

function parametersOf(
  { group, kind, name }: ObjectReference,
  namespace: string,
  readers: Readers,
  resources: RoutingResources,
): Result<GatewayParameters> {
  if (group !== "" || kind !== "ConfigMap") {
    return problem(`parameters are a ConfigMap, and parametersRef names ${kind} ${name}`);
  }
  const map = resources.get("ConfigMap", namespace, name);
  if (map === undefined) return problem(`there is no ConfigMap ${namespace}/${name}`);
  return readParameters(map, readers);
}

type Readers = ReadonlyMap<string, (text: string) => Result<GatewayParameters>>;

/** A Gateway can't set gatewayAddresses: the operator of the machine decides which addresses Gateways may use. */
const OF_GATEWAYS: Readers = new Map([["bodyLimit", readBodyLimit]]);
const OF_CLASSES: Readers = new Map([["gatewayAddresses", readAddresses], ...OF_GATEWAYS]);

function readParameters(
  { metadata, data = {} }: ConfigMap,
  readers: Readers,
): Result<GatewayParameters> {
  let parameters = NONE;
  for (const [key, text] of Object.entries(data)) {
    const value = readers.get(key)?.(text.trim()) ?? problem(isNone(key, readers));
    if (!value.ok) {
      const map = `ConfigMap ${metadata.namespace}/${metadata.name}`;
      return problem(`key ${key} of ${map} ${value.problem}`);
    }
    parameters = { ...parameters, ...value.value };
  }
  return ok(parameters);
}

function isNone(key: string, readers: Readers): string {
  const names = [...readers.keys()];
  return `is no parameter here; ${didYouMean(key, names) ?? names.join(" or ")} would be one`;
}

function readAddresses(text: string): Result<GatewayParameters> {
  const gatewayAddresses = textList(text);
  return gatewayAddresses.every((item) => parseIpRange(item).ok)
    ? ok({ gatewayAddresses })
    : problem("must be a list of IP addresses and CIDRs");
}

function readBodyLimit(text: string): Result<GatewayParameters> {
  const size = parseByteSize(text);
  return size.ok ? ok({ bodyLimit: size.value }) : size;
}
