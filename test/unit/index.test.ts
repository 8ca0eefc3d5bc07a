import {
  DEFAULT_OPTIONS,
  compile,
  contentsOf,
  explain,
  loadFiles,
  loadObjects,
  loadText,
  review,
} from "../../src/index.js";

const INGRESS = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: {
    name: "app",
    namespace: "shop",
    annotations: { "nginx.ingress.kubernetes.io/auth-url": "http://auth.example/verify" },
  },
  spec: {
    rules: [
      {
        host: "app.example",
        http: {
          paths: [
            {
              path: "/",
              pathType: "Prefix",
              backend: { service: { name: "app", port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
};

test("objects, their text, and the policy that they compile to have the same explanation", () => {
  const compiled = [loadObjects([INGRESS]), loadText(JSON.stringify(INGRESS))].map(
    ({ resources }) => compile(resources),
  );
  const policy = compiled[0]?.files.find(({ path }) => path === "policy.json");
  const read: unknown = JSON.parse(policy === undefined ? "" : contentsOf(policy));
  const request = { url: "http://app.example/cart", method: "POST", client: "192.0.2.1" };
  const [first, second] = compiled.map((each) => explain(each, request));

  expect(first).toMatchObject({
    request: { method: "POST", host: "app.example", client: "192.0.2.1" },
    route: {
      authChecked: true,
      source: ["Ingress", "shop", "app", "spec.rules[0].http.paths[0]"],
    },
  });
  expect(second).toEqual(first);
  expect(explain(read as Parameters<typeof explain>[0], request)).toEqual(first);
});

test("headers and options are used", () => {
  const { resources } = loadObjects([INGRESS]);
  const compiled = compile(resources, { ...DEFAULT_OPTIONS, httpPort: 8080 });
  const headers = { Host: "app.example" };

  expect(explain(compiled, { url: "http://127.0.0.1:8080/", headers }).route?.authChecked).toBe(
    true,
  );
  expect(explain(compiled, { url: "http://127.0.0.1/", headers }).answer.kind).toBe("unreachable");
});

test("a request that can't be read is a TypeError that says why", () => {
  const compiled = compile(loadObjects([]).resources);

  expect(() => explain(compiled, { url: "app.example" })).toThrow(TypeError);
  expect(() => explain(compiled, { url: "app.example" })).toThrow(/must start with http/);
});

test("the review has the problems of reading, of compiling and of the whole", () => {
  const unknown = { ...INGRESS, metadata: { name: "Wrong Name", namespace: "shop" } };
  const loaded = loadObjects([INGRESS, unknown]);
  const compilation = compile(loaded.resources);
  const codes = review(loaded, compilation).map(({ code }) => code);

  expect(loaded.diagnostics).not.toHaveLength(0);
  expect(codes).toEqual(
    expect.arrayContaining(
      [...loaded.diagnostics, ...compilation.diagnostics].map(({ code }) => code),
    ),
  );
});

test("a path that does not exist rejects", async () => {
  await expect(loadFiles(["test/no-such-folder"])).rejects.toThrow("does not exist");
});
