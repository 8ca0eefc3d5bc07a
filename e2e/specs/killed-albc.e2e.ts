/** albc is killed, and another one with another run folder gets the ports of the nginx that it left. */
import { Gateway } from "../harness/gateway.js";
import { ingress, yaml } from "../harness/manifests.js";
import { processesIn } from "../harness/processes.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const files = {
  "site.yaml": yaml(ingress("web", { hosts: { "web.example": [{ service: "web" }] } })),
};

test("the nginx of an albc that was killed gives up its ports", async () => {
  const errors = [/SERVICE/];
  const first = await Gateway.start({ files, errors });
  first.albc.signal("SIGKILL");
  await first.albc.exit();
  expect(await processesIn(first.runFolder)).not.toEqual([]);
  const second = await scene.use(Gateway.start({ files, errors, httpPort: first.httpPort }));
  expect((await second.send({ host: "web.example" })).status).toBe(503);
  expect(await processesIn(first.runFolder)).toEqual([]);
  // It complains that albc was killed.
  await first.close().catch(() => undefined);
});
