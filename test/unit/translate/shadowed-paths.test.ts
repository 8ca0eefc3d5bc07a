import { ingress, rules, service, translated } from "../../support/translated.js";

function at(
  namespace: string,
  year: number,
  hosts: Readonly<Record<string, readonly string[]>>,
): string {
  return ingress("web", {
    namespace,
    created: `${String(year)}-01-01T00:00:00Z`,
    spec: rules(hosts),
  });
}

/** Messages about the paths of Ingresses that no request reaches; ports 80 and 443 give the same ones. */
function shadowed(...ingresses: readonly string[]): ReadonlySet<string> {
  const yaml = [service("web", "a"), service("web", "b"), ...ingresses].join("");
  return new Set(translated(yaml).messages("INGRESS_PATH_SHADOWED"));
}

const SAME = "Ingress a/web has the same host and path, and comes first";
const ALL = "Ingress a/web has / of the host, and its namespace comes first";

test("a path that another Ingress has is shadowed", () => {
  const second = ingress("zweb", { namespace: "a", spec: rules({ "a.example": ["/"] }) });
  expect(shadowed(at("a", 2001, { "a.example": ["/"] }), second)).toEqual(new Set([SAME]));
});

test("a narrower path of the same namespace is not", () => {
  const second = ingress("zweb", { namespace: "a", spec: rules({ "a.example": ["/b"] }) });
  expect(shadowed(at("a", 2001, { "a.example": ["/"] }), second)).toEqual(new Set());
});

test.each(["a.example", "*.example"])(
  "a narrower path of another namespace is, below %s",
  (host) => {
    const [wide, narrow] = [
      at("a", 2001, { [host]: ["/"] }),
      at("b", 2002, { "a.example": ["/b"] }),
    ];
    expect(shadowed(wide, narrow)).toEqual(new Set([ALL]));
  },
);

test("the owner's paths are not shadowed by wider ones of others", () => {
  const [narrow, wide] = [
    at("a", 2001, { "a.example": ["/b"] }),
    at("b", 2002, { "a.example": ["/"] }),
  ];
  expect(shadowed(narrow, wide)).toEqual(new Set());
});
