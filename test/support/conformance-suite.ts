/** The tests of Gateway API's conformance suite: what each is about, and the objects that it applies. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { Authority, type KeyPair, selfSigned } from "../../e2e/harness/certificates.js";
import { type Manifest, configMap, tlsSecret } from "../../e2e/harness/manifests.js";
import { CONTROLLER, GATEWAY_API } from "../../e2e/harness/gateway-manifests.js";
import { gatewayApi } from "./gateway-api.js";

const SUITE = gatewayApi("conformance");
const CLASS = "gateway-conformance";
const INFRA = "gateway-conformance-infra";
const WEB = "gateway-conformance-web-backend";
/** The tests of meshes need this. */
const OTHER_FEATURE = "Mesh";

export interface SuiteTest {
  readonly name: string;
  /** Paths below the suite. */
  readonly manifests: readonly string[];
  /** It is about gateways. */
  readonly isOurs: boolean;
}

/** Every test that says which manifests it applies, by reading the suite's Go files. */
export function suiteTests(): readonly SuiteTest[] {
  const folder = join(SUITE, "tests");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".go"))
    .sort()
    .flatMap((name) => declarations(readFileSync(join(folder, name), "utf8")))
    .map(({ shortName, features, manifests }) => ({
      name: shortName,
      manifests,
      isOurs: !features.some((feature) => feature.startsWith(OTHER_FEATURE)),
    }));
}

interface Declaration {
  readonly shortName: string;
  readonly features: readonly string[];
  readonly manifests: readonly string[];
}

function declarations(go: string): readonly Declaration[] {
  return go
    .split(/\.ConformanceTest\{\n/)
    .slice(1)
    .map((text) => ({
      shortName: /ShortName:\s+"([^"]+)"/.exec(text)?.[1] ?? "",
      features: [...text.matchAll(/\.Support(\w+),/g)].map(([, feature = ""]) => feature),
      manifests: [...text.matchAll(/"(tests\/[^"]+\.yaml)"/g)].map(([, path = ""]) => path),
    }));
}

/** All manifests of the suite, those of no test among them. */
export function suiteManifests(): readonly string[] {
  return readdirSync(join(SUITE, "tests"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => `tests/${name}`)
    .sort();
}

export interface Addresses {
  readonly usable: string;
  readonly unusable: string;
}

/** The objects of a manifest, as an API server has them when the suite has applied it. */
export function suiteObjects(path: string, addresses: Addresses): readonly Manifest[] {
  const text = readFileSync(join(SUITE, path), "utf8")
    .replaceAll("{GATEWAY_CONTROLLER_NAME}", CONTROLLER)
    .replaceAll("{GATEWAY_CLASS_NAME}", CLASS)
    .replaceAll("PLACEHOLDER_UNUSABLE_ADDRS", addresses.unusable)
    .replaceAll("PLACEHOLDER_USABLE_ADDRS", addresses.usable);
  return loadAll(text)
    .filter(isManifest)
    .map(({ metadata, ...rest }) => ({ ...rest, metadata: { generation: 1, ...metadata } }));
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === "object" && value !== null && "kind" in value && "metadata" in value;
}

/** What the suite makes before its first test, and the class that it is told to use. */
export async function suiteSetup(addresses: Addresses): Promise<readonly Manifest[]> {
  const pair = await selfSigned("*.org", "*.wildcard.org", "abc.example.com");
  const authority = (await Authority.create()).pair;
  return [
    {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "GatewayClass",
      metadata: { name: CLASS, generation: 1 },
      spec: { controllerName: CONTROLLER },
    },
    ...suiteObjects("base/manifests.yaml", addresses),
    ...secrets(pair),
    ...authorities(authority),
  ];
}

function secrets(pair: KeyPair): readonly Manifest[] {
  const names = [
    "tls-validity-checks-certificate",
    "tls-validity-checks-client-certificate",
    "tls-validity-checks-per-port-client-certificate",
    "tls-checks-certificate",
    "tls-checks-client-certificate",
    "tls-passthrough-checks-certificate",
    "tls-terminate-checks-certificate",
  ];
  return [
    tlsSecret("certificate", pair, WEB),
    ...names.map((name) => tlsSecret(name, pair, INFRA)),
  ];
}

function authorities({ certificate }: KeyPair): readonly Manifest[] {
  const names = [
    "tls-validity-checks-ca-certificate",
    "tls-validity-checks-per-port-ca-certificate",
    "tls-checks-ca-certificate",
    "mismatch-ca-certificate",
  ];
  const data = { "ca.crt": certificate };
  return [
    configMap("web-backend-cm", data, WEB),
    ...names.map((name) => configMap(name, data, INFRA)),
  ];
}
