/** The law of test/property/broken-objects.test.ts in the whole product: a mistake costs what the object itself names. */
import { EchoBackend } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { ingress, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let gateway: Gateway;

const at = (host: string, path: string, name: string): string =>
  yaml(ingress(name, { hosts: { [host]: [{ path, service: "web" }] } }));

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  gateway = await scene.use(
    Gateway.start({
      errors: [/FIELD_|OBJECT_CLOSED/],
      files: {
        "web.yaml": yaml(service("web", [{ port: backend.port }])),
        "open.yaml": at("a.example", "/", "open"),
        "rest.yaml": at("", "/open", "rest"),
        // A host that can't be read, a field that is unknown, and an object without a host.
        "host.yaml": at("my_app.example", "/", "host"),
        "field.yaml": at("b.example", "/admin", "field").replace("pathType", "pathTpye"),
        "known.yaml": at("a.example", "/mine", "known").replace("spec:", "spec:\n  bakend: 1"),
        "no-host.yaml": at("", "/mine", "no-host").replace("spec:", "spec:\n  bakend: 1"),
      },
    }),
  );
});

const send = (host: string, path: string) => gateway.send({ host, path });

test("valid objects of the namespace are served", async () => {
  expect((await send("a.example", "/")).status).toBe(200);
  expect((await send("c.example", "/open")).status).toBe(200);
});

test.each([
  ["a.example", "/mine", "spec.bakend"],
  ["b.example", "/admin", "spec.rules[0].http.paths[0].pathTpye"],
  // A path without a type counts as the whole host.
  ["b.example", "/", "spec.rules[0].http.paths[0].pathTpye"],
  // Without a host: where no object names the host.
  ["c.example", "/mine", "spec.bakend"],
])("what a broken object names answers 503: %s%s", async (host, path, field) => {
  const { status, reason } = await send(host, path);
  expect([status, reason]).toEqual([503, `AuthFail : invalid cfg ${field}`]);
});

test("an edit that breaks an object keeps its last valid version", async () => {
  await gateway.write("open.yaml", at("a.example", "/", "open").replace("spec:", "sepc:"));
  await gateway.logged(/the object has no field sepc/);
  expect((await send("a.example", "/")).status).toBe(200);
});

test("a repaired object is served", async () => {
  await gateway.change("field.yaml", at("b.example", "/admin", "field"));
  expect((await send("b.example", "/admin")).status).toBe(200);
  expect((await send("b.example", "/")).status).toBe(404);
});
