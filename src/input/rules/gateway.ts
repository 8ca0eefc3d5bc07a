/**
 * What an API server checks in a Gateway or a ListenerSet beyond its schema. Types of addresses that are not known pass: a
 * condition tells them.
 */
import { isIP } from "node:net";
import type { ObjectReference, Gateway, ListenerSet } from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/field-path.js";
import { invalid, shown } from "../finding.js";
import type { Findings } from "../finding.js";
import { checkListeners } from "./listeners.js";
import { checkLabels } from "./metadata.js";
import { qualifiedNameProblem, subdomainProblem } from "./names.js";
import { checkUnique } from "./unique.js";

type Spec = Gateway["spec"];
type Address = NonNullable<Spec["addresses"]>[number];

export function* checkGateway({ spec }: Gateway): Findings {
  yield* checkListeners(spec.listeners, ["spec", "listeners"]);
  yield* checkAddresses(spec.addresses ?? [], ["spec", "addresses"]);
  yield* checkInfrastructure(spec.infrastructure, ["spec", "infrastructure"]);
  yield* checkFrontendTls(spec.tls?.frontend, ["spec", "tls", "frontend"]);
}

export function* checkListenerSet({ spec }: ListenerSet): Findings {
  yield* checkListeners(spec.listeners, ["spec", "listeners"]);
}

function* checkAddresses(addresses: readonly Address[], field: FieldPath): Findings {
  for (const type of ["IPAddress", "Hostname"]) {
    const values = addresses.map((address) =>
      address.type === type && address.value !== "" ? address.value : undefined,
    );
    yield* checkUnique(values, field, "address", ["value"]);
    for (const [i, value] of values.entries()) {
      const problem = value === undefined ? undefined : addressProblem(type, value);
      if (problem !== undefined) {
        yield invalid([...field, i, "value"], `the address ${shown(value)} ${problem}`);
      }
    }
  }
}

function addressProblem(type: string, value: string): string | undefined {
  if (type === "Hostname") return subdomainProblem(value.replace(/^\*\./, ""));
  return isIP(value) === 0 ? "is no IP address, as its type says" : undefined;
}

function* checkInfrastructure(infrastructure: Spec["infrastructure"], field: FieldPath): Findings {
  yield* checkLabels(infrastructure?.labels ?? {}, [...field, "labels"]);
  for (const key of Object.keys(infrastructure?.annotations ?? {})) {
    const problem = qualifiedNameProblem(key);
    if (problem !== undefined) {
      yield invalid([...field, "annotations", key], `the key ${shown(key)} ${problem}`);
    }
  }
}

type FrontendTls = NonNullable<NonNullable<Spec["tls"]>["frontend"]>;

function* checkFrontendTls(frontend: FrontendTls | undefined, field: FieldPath): Findings {
  const { default: everywhere, perPort = [] } = frontend ?? {};
  yield* checkAuthorities(everywhere?.validation?.caCertificateRefs, [...field, "default"]);
  yield* checkUnique(
    perPort.map(({ port }) => port),
    [...field, "perPort"],
    "port",
    ["port"],
  );
  for (const [i, { tls }] of perPort.entries()) {
    yield* checkAuthorities(tls.validation?.caCertificateRefs, [...field, "perPort", i, "tls"]);
  }
}

/** `field` is what holds the validation. */
function* checkAuthorities(
  references: readonly ObjectReference[] | undefined,
  field: FieldPath,
): Findings {
  for (const [i, { group, kind, namespace }] of (references ?? []).entries()) {
    if (group !== "certificates.k8s.io" || kind !== "ClusterTrustBundle") continue;
    if (namespace === undefined) continue;
    yield invalid(
      [...field, "validation", "caCertificateRefs", i, "namespace"],
      "a ClusterTrustBundle has no namespace",
    );
  }
}
