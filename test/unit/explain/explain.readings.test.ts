import { explain } from "../../../src/explain/explain.js";
import { parseRequest } from "../../../src/explain/request.js";
import type { PolicyDocument } from "../../../src/model/policy.js";

const route = (name: string) => ({
  source: ["Ingress", "default", "web", name] as const,
  backends: [{ upstream: "default/web/80", weight: 1, protocol: "http" as const }],
});

/** `/admin` needs auth, and so does the backend of `/behind`; everything else needs nothing. */
const POLICY: PolicyDocument = {
  format: 5,
  version: "v",
  settings: { authTimeout: 5000, authTlsVerify: true },
  servers: { p80: { port: 80, tls: false, listeners: [["", "http"]] } },
  hosts: {
    "http|": [
      { order: "1", route: "closed", path: ["prefix", "/admin"] },
      { order: "2", route: "behind", path: ["prefix", "/behind"] },
      { order: "3", route: "open", path: ["prefix", ""] },
    ],
  },
  routes: {
    closed: { ...route("closed"), auth: ["own"] },
    behind: {
      ...route("behind"),
      backends: route("behind").backends.map((one) => ({ ...one, filters: { auth: ["own"] } })),
    },
    open: route("open"),
  },
  auths: { own: { source: ["Ingress", "default", "web", "auth"], invalid: "nothing is read" } },
  upstreams: { "default/web/80": { endpoints: [["10.0.0.1", 8080]] } },
  certificates: {},
};

function ask(target: string) {
  const url = `http://a.example${target}`;
  const request = parseRequest({ method: "GET", url, headers: [], client: "192.0.2.1" });
  if (!request.ok) throw new Error(request.problem);
  return explain(POLICY, request.value);
}

it.each([
  "/admin/../open",
  "/admin/..%2fopen",
  "/admin;x=1",
  "/open/..;/admin",
  "/open\\..\\admin",
  "/open/..%3b/admin",
  "/open/%252e%252e/admin",
  "/open/..;/behind",
])("%s names a restricted path for some backends, and is refused", (target) => {
  expect(ask(target).answer).toEqual({
    kind: "refused",
    status: 400,
    reason: "BadRequest : ambiguous path",
  });
});

it.each(["/a/../b", "/a;x=1/", "/administrator/", "/admin2/../x", "/x?/admin/../y;"])(
  "%s does not",
  (target) => {
    expect(ask(target)).toMatchObject({ answer: { kind: "forwarded" }, route: { id: "open" } });
  },
);

it("the restricted path itself is not ambiguous, however it is written", () => {
  for (const target of ["/admin", "/open/../admin", "/%61dmin/", "/admin;x=1/../admin/"]) {
    expect(ask(target).route?.id).toBe("closed");
  }
});
