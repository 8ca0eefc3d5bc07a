/**
 * Every field of Gateway API with a closed set of values, as its CRDs list them: an unknown value in it is told by a condition and by a
 * diagnostic of that object, and never a crash.
 */
import { type Compilation, compile } from "../../src/compile.js";
import { resourcesFromObjects } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { configMap, service, tlsSecret } from "../../e2e/harness/manifests.js";
import { selfSigned } from "../../e2e/harness/certificates.js";
import { type EnumField, crdEnums } from "../support/crd-fields.js";
import { EXAMPLES, type Example, example } from "../support/enum-examples.js";
import { fc } from "../support/fast-check.js";
import { type Json, replaced } from "../support/hostile-input.js";
import { statusFacts } from "../support/status-facts.js";

/** What the examples name. */
let surroundings: readonly unknown[];

beforeAll(async () => {
  const pair = await selfSigned("web.example");
  surroundings = [
    example("GatewayClass", "albc", { controllerName: DEFAULT_OPTIONS.controllerName }),
    ...service("web", [{ address: "10.0.0.1", port: 8080 }]),
    ...service("secure", [{ address: "10.0.0.2", port: 8443 }]),
    tlsSecret("certificate", pair),
    configMap("ca", { "ca.crt": pair.certificate }),
    example(
      "HTTPRoute",
      "secure",
      { parentRefs: [{ name: "gw" }], rules: [{ backendRefs: [{ name: "secure", port: 80 }] }] },
      "default",
    ),
  ];
});

function compiled(changed: Readonly<Record<string, Example>> = {}): Compilation {
  const examples = Object.values({ ...EXAMPLES, ...changed });
  return compile(resourcesFromObjects([...surroundings, ...examples]).resources, DEFAULT_OPTIONS);
}

/** `<subject> <condition>=<status>/<reason>`. */
function factsOf({ statuses }: Compilation): readonly string[] {
  return [...statusFacts(statuses)].flatMap(([subject, facts]) =>
    facts.map((fact) => `${subject} ${fact}`),
  );
}

function reportsOf({ diagnostics }: Compilation): readonly string[] {
  return diagnostics.map(({ code, resource, message }) =>
    [code, resource?.kind, resource?.name, message].join(" "),
  );
}

/** Where API and issue name no UnsupportedValue. */
const OTHER_FACTS: Readonly<Record<string, RegExp>> = {
  // A Gateway has no condition for it; those that it keeps out name it.
  "gateways allowedListeners.namespaces.from": /^ListenerSet more Accepted=False\/NotAllowed$/,
  // Policies have no UnsupportedValue.
  "backendtlspolicies validation.subjectAltNames.*.type":
    /^BackendTLSPolicy web@gw Accepted=False\/Invalid$/,
};
/** Nothing is kept from being served, and no condition is about it: the diagnostic is all. */
const WITHOUT_FACT: readonly string[] = ["gateways defaultScope"];

const UNSUPPORTED =
  /^(?:(?:Gateway|ListenerSet) \w+#\w+ Accepted=False|(?:HTTP|GRPC)Route route@gw (?:Accepted=False|PartiallyInvalid=True))\/UnsupportedValue$/;

type Place = readonly (string | number)[];

/** Places of the field in the example. */
function placesOf({ path }: EnumField, value: Json): readonly Place[] {
  const [step, ...rest] = path;
  if (step === undefined) return value === undefined ? [] : [[]];
  if (step === "*") {
    if (!Array.isArray(value)) return [];
    return value.flatMap((item: Json, index) =>
      placesOf({ path: rest, values: [] }, item).map((place) => [index, ...place]),
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const field = (value as Readonly<Record<string, Json>>)[step];
  return placesOf({ path: rest, values: [] }, field).map((place) => [step, ...place]);
}

/** What a careless lookup in an object would find. */
const OF_EVERY_OBJECT = ["__proto__", "constructor"];

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
  fc.constantFrom("toString", "hasOwnProperty", "🙂"),
);

/** Another letter's case is another value. */
function unknownValue(field: EnumField): fc.Arbitrary<string | number> {
  const known = new Set(field.values);
  const upperCase = field.values.map((value) => String(value).toUpperCase());
  const arbitrary: fc.Arbitrary<string | number> = isText(field)
    ? fc.oneof(text, fc.constantFrom(...upperCase))
    : fc.integer({ min: -1, max: 1000 });
  return arbitrary.filter((value) => !known.has(value));
}

function isText({ values }: EnumField): boolean {
  return values.every((value) => typeof value === "string");
}

function exampleOf(plural: string): Example {
  const found = EXAMPLES[plural];
  if (found === undefined) throw new Error(`no example of ${plural}`);
  return found;
}

test.each(Object.keys(EXAMPLES))("the examples of %s are fine as they are", (plural) => {
  const result = compiled();
  const own = factsOf(result).filter((fact) => fact.startsWith(`${exampleOf(plural).kind} `));
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter((fact) => /=False|PartiallyInvalid/.test(fact))).toEqual([]);
});

const FIELDS = Object.keys(EXAMPLES).flatMap((plural) =>
  crdEnums(plural).map((field) => ({ name: `${plural} ${field.path.join(".")}`, plural, field })),
);

test("there are fields, and every kind that has some has an example", () => {
  expect(FIELDS.length).toBeGreaterThan(35);
  expect(["gatewayclasses", "referencegrants"].flatMap(crdEnums)).toEqual([]);
});

test.each(FIELDS)("$name", ({ name, plural, field }) => {
  const object = exampleOf(plural);
  const all = placesOf(field, object.spec);
  expect(all.length).toBeGreaterThan(0);
  const before = new Set([...factsOf(compiled()), ...reportsOf(compiled())]);
  fc.assert(
    fc.property(fc.constantFrom(...all), unknownValue(field), (place, value) => {
      const spec = replaced(object.spec, place, value);
      const result = compiled({ [plural]: { ...object, spec } });
      const facts = factsOf(result).filter((fact) => !before.has(fact));
      const reports = reportsOf(result).filter((report) => !before.has(report));
      expect(reports.join("\n")).toContain(` ${object.kind} `);
      if (WITHOUT_FACT.includes(name)) return;
      const wanted = OTHER_FACTS[name] ?? UNSUPPORTED;
      expect({ facts, found: facts.some((fact) => wanted.test(fact)) }).toMatchObject({
        found: true,
      });
    }),
    {
      numRuns: 12,
      examples: isText(field)
        ? OF_EVERY_OBJECT.flatMap((value) => all.map((place): [Place, string] => [place, value]))
        : [],
    },
  );
});
