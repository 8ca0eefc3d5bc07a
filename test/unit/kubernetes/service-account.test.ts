import { mkdirSync, writeFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { join } from "node:path";
import { makeTempFolder, removeFolder } from "../../../e2e/harness/temp-folder.js";
import { serviceAccount } from "../../../src/kubernetes/service-account.js";

const { jest } = import.meta;
const VARIABLES = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
let folder: string;
beforeEach(async () => {
  folder = await makeTempFolder();
  writeFileSync(join(folder, "ca.crt"), "CA");
  writeFileSync(join(folder, "token"), "first\n");
});
afterEach(async () => {
  jest.useRealTimers();
  await removeFolder(folder);
});

async function authorization(): Promise<RequestOptions> {
  const options: RequestOptions = { headers: { Accept: "application/json" } };
  await access?.applyToHTTPSOptions(options);
  return options;
}
let access: ReturnType<typeof serviceAccount>;

test("a pod asks the API server of its variables with its token, and reads the token again", async () => {
  jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate"] });
  access = serviceAccount({ ...VARIABLES, HOME: folder }, folder);
  expect(access?.getCurrentCluster()).toEqual({ server: "https://[fd00::1]:443" });
  const headers = { Accept: "application/json", Authorization: "Bearer first" };
  expect(await authorization()).toEqual({ ca: "CA", headers });
  writeFileSync(join(folder, "token"), "second");
  jest.advanceTimersByTime(59_000);
  expect(await authorization()).toMatchObject({ headers });
  jest.advanceTimersByTime(2000);
  expect(await authorization()).toMatchObject({ headers: { Authorization: "Bearer second" } });
});

test("a kubeconfig comes first, and without a token there is no service account", () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  expect(serviceAccount(VARIABLES, empty)).toBeUndefined();
  expect(serviceAccount({}, folder)).toBeUndefined();
  expect(serviceAccount({ ...VARIABLES, KUBECONFIG: "/x" }, folder)).toBeUndefined();
  expect(serviceAccount({ ...VARIABLES, KUBECONFIG: "" }, folder)).toBeDefined();
  expect(serviceAccount({ ...VARIABLES, HOME: folder }, folder)).toBeDefined();
  mkdirSync(join(folder, ".kube"));
  writeFileSync(join(folder, ".kube/config"), "");
  expect(serviceAccount({ ...VARIABLES, HOME: folder }, folder)).toBeUndefined();
});
