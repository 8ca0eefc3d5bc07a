/** What an API server checks in a BackendTLSPolicy beyond its schema. */
import type { BackendTlsPolicy, PolicyTargetReference } from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import { invalid, missing } from "./reports.js";
import type { Reports } from "./reports.js";

type Validation = BackendTlsPolicy["spec"]["validation"];
type SubjectAltName = NonNullable<Validation["subjectAltNames"]>[number];

export function* checkBackendTlsPolicy({ spec }: BackendTlsPolicy): Reports {
  yield* checkTargets(spec.targetRefs, ["spec", "targetRefs"]);
  const { validation } = spec;
  yield* checkAuthorities(validation, ["spec", "validation"]);
  for (const [i, name] of (validation.subjectAltNames ?? []).entries()) {
    yield* checkName(name, ["spec", "validation", "subjectAltNames", i]);
  }
}

/** Targets of a policy: of one object either the whole or sections of it, none twice. */
function* checkTargets(targets: readonly PolicyTargetReference[], field: FieldPath): Reports {
  for (const [i, target] of targets.entries()) {
    const { name, sectionName } = target;
    const before = targets.slice(0, i).filter((other) => sameObject(target, other));
    if (before.some((other) => other.sectionName === sectionName)) {
      yield invalid(
        [...field, i],
        `the target ${name} stands twice with the same sectionName`,
        "remove one of the two",
      );
    } else if (
      before.some((other) => (other.sectionName === undefined) !== (sectionName === undefined))
    ) {
      yield invalid(
        [...field, i],
        `of several references to the target ${name} either all or none need a sectionName`,
      );
    }
  }
}

function sameObject(a: PolicyTargetReference, b: PolicyTargetReference): boolean {
  return a.group === b.group && a.kind === b.kind && a.name === b.name;
}

function* checkAuthorities(validation: Validation, field: FieldPath): Reports {
  const { caCertificateRefs = [], wellKnownCACertificates: wellKnown = "" } = validation;
  if (caCertificateRefs.length > 0 && wellKnown !== "") {
    yield invalid(
      [...field, "wellKnownCACertificates"],
      "validation has caCertificateRefs or wellKnownCACertificates, not both",
    );
  }
  if (caCertificateRefs.length === 0 && wellKnown === "") {
    yield missing(
      [...field, "caCertificateRefs"],
      "validation needs caCertificateRefs or wellKnownCACertificates",
      "name the ConfigMap with the certificates, or set wellKnownCACertificates: System",
    );
  }
}

/** The field that each type of name needs, which no other may have. */
const NAME_FIELDS = { Hostname: "hostname", URI: "uri" } as const;

/** A type that is not known may come with anything: a condition tells that it is not supported. */
function* checkName(name: SubjectAltName, field: FieldPath): Reports {
  const { type } = name;
  if (!Object.hasOwn(NAME_FIELDS, type)) return;
  for (const [owner, own] of Object.entries(NAME_FIELDS)) {
    if (owner === type && name[own] === undefined) {
      yield missing([...field, own], `a name of type ${type} needs the field ${own}`);
    }
    if (owner !== type && name[own] !== undefined) {
      yield invalid([...field, own], `a name of type ${type} must not have the field ${own}`);
    }
  }
}
