import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { ANNOTATIONS } from "../../src/translate/ingress/annotation-table.js";
import { fc, runs } from "../support/fast-check.js";
import { ingress, rules, service, translated } from "../support/translated.js";

/** What a slip of the hand does to a text at one place. */
const SLIPS = [
  (text: string, at: number, letter: string) => text.slice(0, at) + letter + text.slice(at),
  (text: string, at: number) => text.slice(0, at) + text.slice(at + 1),
  (text: string, at: number, letter: string) => text.slice(0, at) + letter + text.slice(at + 1),
  (text: string, at: number) =>
    text.slice(0, at) +
    text
      .slice(at, at + 2)
      .split("")
      .reverse()
      .join("") +
    text.slice(at + 2),
];

const { annotations, compatAnnotations } = DEFAULT_OPTIONS.domains;
const DOMAINS = [compatAnnotations, annotations, `index.0-1.${annotations}`];

const slip = fc.record({
  slip: fc.constantFrom(...SLIPS),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  letter: fc.constantFrom("a", "b", "e", "i", "n", "o", "s", "x", "-"),
});

const misspeltDomain = fc
  .tuple(fc.constantFrom(...DOMAINS), fc.array(slip, { maxLength: 2 }), fc.boolean())
  .map(([domain, slips, isLoud]) => {
    const text = slips.reduce(
      (before, { slip: apply, at, letter }) =>
        apply(before, Math.floor(at * before.length), letter),
      domain,
    );
    return isLoud ? text.toUpperCase() : text;
  });

/** What an API server takes as the domain of a key. */
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/i;

const restricting = fc.constantFrom(
  ...ANNOTATIONS.filter(({ fallback }) => fallback === "closed").map(({ name }) => name),
);

/** Makes a snippet restrict, too. */
const VALUE = "deny all;";

describe("a restriction under a domain of one or two wrong letters", () => {
  it("closes what the right domain would protect", () => {
    fc.assert(
      fc.property(misspeltDomain, restricting, (domain, name) => {
        const key = `${domain}/${name}`;
        fc.pre(DOMAIN.test(domain) && !DOMAINS.some((known) => key === `${known}/${name}`));
        const { route, reports } = translated(
          ingress("web", {
            annotations: { [key]: VALUE },
            spec: rules({ "a.example": ["/", "/two"] }),
          }) + service("web"),
        );
        // Two letters of an index may make another index: that path alone is closed then.
        expect(
          route("ingress/default/web/0-1").refuse?.[0] ??
            route("ingress/default/web/0-0").refuse?.[0],
        ).toBe(503);
        expect(reports.join()).toMatch(
          /^ANNOTATION_(?:MISSPELT|CLOSED)|^RESTRICTION_UNSUPPORTED|^AUTH_/,
        );
      }),
      runs(100),
    );
  });

  it("closes nothing if the same name stands under a domain that is read", () => {
    fc.assert(
      fc.property(misspeltDomain, (domain) => {
        fc.pre(DOMAIN.test(domain) && !DOMAINS.includes(domain));
        const { route } = translated(
          ingress("web", {
            annotations: {
              [`${domain}/whitelist-source-range`]: "10.0.0.0/8",
              [`${compatAnnotations}/whitelist-source-range`]: "10.0.0.0/8",
            },
            spec: rules({ "a.example": ["/"] }),
          }) + service("web"),
        );
        expect(route("ingress/default/web/0-0").refuse).toBeUndefined();
      }),
      runs(50),
    );
  });

  it.each([
    ["kubernetes.io/ingress.class", "nginx"],
    ["kubernetes.io/tls-acme", "true"],
    ["author", "a.example"],
    ["auth-url", "http://auth.example/"],
    [`${compatAnnotations}.auth-url`, "http://auth.example/"],
    [`${compatAnnotations}/allow-cidr`, "10.0.0.0/8"],
    [`${compatAnnotations}/snippet`, "deny all;"],
    [`${compatAnnotations}/modsecurity`, "false"],
    [`${compatAnnotations}/snippet`, "more_set_headers 'a: b';"],
  ])("does not close for %s: %s", (key, value) => {
    const { route } = translated(
      ingress("web", { annotations: { [key]: value }, spec: rules({ "a.example": ["/"] }) }) +
        service("web"),
    );
    expect(route("ingress/default/web/0-0").refuse).toBeUndefined();
  });

  it("leaves domains of other controllers alone", () => {
    const others = [
      "ingress.kubernetes.io",
      "kubernetes.io",
      "haproxy.org",
      "traefik.ingress.kubernetes.io",
      "alb.ingress.kubernetes.io",
      "nginx.org",
      "nginx.com",
      "konghq.com",
    ];
    const { reports, route } = translated(
      ingress("web", {
        annotations: Object.fromEntries(others.map((domain) => [`${domain}/auth-type`, "basic"])),
        spec: rules({ "a.example": ["/"] }),
      }) + service("web"),
    );
    expect([...reports].sort()).toEqual(
      others
        .map((domain) => `metadata.annotations["${domain}/auth-type"]`)
        .map((field) => `ANNOTATION_UNKNOWN Ingress default/web ${field}`)
        .sort(),
    );
    expect(route("ingress/default/web/0-0").refuse).toBeUndefined();
  });
});
