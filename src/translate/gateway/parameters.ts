/**
 * What the ConfigMap that a parametersRef names says of Gateways: of all of a class, or of one, which comes before its class (Gateway
 * API, GatewayClassSpec.parametersRef and GatewayInfrastructure.parametersRef). Its keys are options by their usual names.
 */
import type { ConfigMap } from "../../api/wire.js";
import type { Gateway, GatewayClass } from "../../api/gateway.js";
import type { RoutingResources } from "../../input/resources.js";
import { parseByteSize } from "../../support/units.js";
import { didYouMean } from "../../support/did-you-mean.js";
import { parseIpRange } from "../../support/ip-address.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { textList } from "../../support/text.js";
import type { TranslateContext } from "../context.js";

export interface GatewayParameters {
  /** Addresses and CIDRs of which each Gateway gets one of its own; none: all addresses are shared. */
  readonly gatewayAddresses?: readonly string[];
  /** Bytes of the largest request body; 0: no limit. */
  readonly bodyLimit?: number;
}

const NONE: GatewayParameters = {};

/** The parameters of a class; `problem` says what is wrong with them. */
export function classParameters(
  { spec: { parametersRef: ref } }: GatewayClass,
  resources: RoutingResources,
): Result<GatewayParameters> {
  if (ref === undefined) return ok(NONE);
  if (ref.namespace === undefined)
    return problem(`parametersRef names no namespace of ${ref.kind} ${ref.name}`);
  return parametersOf({ ...ref, namespace: ref.namespace }, OF_CLASSES, resources);
}

/** Those of a Gateway alone; the ConfigMap is in its own namespace. */
export function ownParameters(
  { spec: { infrastructure }, metadata: { namespace } }: Gateway,
  resources: RoutingResources,
): Result<GatewayParameters> {
  const ref = infrastructure?.parametersRef;
  return ref === undefined ? ok(NONE) : parametersOf({ ...ref, namespace }, OF_GATEWAYS, resources);
}

/** What holds for a Gateway: its own, its class's, the options. */
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

/** With invalid ones no Gateway is served: what they would have been is of no interest then. */
function valueOf(parameters: Result<GatewayParameters>): GatewayParameters {
  return parameters.ok ? parameters.value : NONE;
}

interface ParametersReference {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

function parametersOf(
  { group, kind, namespace, name }: ParametersReference,
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

/** Which addresses the machine's operator gives away is not for who makes a Gateway to say. */
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
