/** nginx takes what the compiler makes of a tenant's random objects beside others (test/property/tenants.test.ts). */
import { selfSigned } from "../../../e2e/harness/certificates.js";
import { writeFiles } from "../../../src/output/files.js";
import { makeRunFolder } from "../../../src/output/run-folder.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { fc, runs, timeoutOf } from "../../support/fast-check.js";
import { filesOf, makeProcess, testBinary } from "../../support/run-folder.js";
import { useTempFolder } from "../../support/temp-folder.js";
import type { Manifest } from "../../support/tenants/manifest.js";
import { foundation } from "../../support/tenants/operator.js";
import { worldOf } from "../../support/tenants/outcomes.js";
import { tenantObjects } from "../../support/tenants/tenant-objects.js";
import { OPERATORS, victims } from "../../support/tenants/victims.js";

const { operators } = OPERATORS["no load balancer"];
const OPTIONS = { ...DEFAULT_OPTIONS, httpPort: 2080, httpsPort: 20443 };

const folder = useTempFolder();

test(
  "nginx -t takes them",
  async () => {
    const [own, other] = await Promise.all([
      selfSigned("*.shared.example", "*.gw.example"),
      selfSigned("*.shared.example", "b.shared.example"),
    ]);
    const given = [...operators, ...victims(own)];
    const common = [...given, ...foundation("tenant", other)];
    const binary = await testBinary();
    await fc.assert(
      fc.asyncProperty(tenantObjects(given), async (added) => {
        const { compilation } = worldOf(unprivileged([...common, ...added]), OPTIONS);
        const run = await makeRunFolder(folder());
        await writeFiles(run, await filesOf(compilation.config));
        await makeProcess(binary, run).nginx.test(run);
      }),
      runs(10),
    );
  },
  timeoutOf(60_000),
);

/** Not everyone who runs tests may bind ports below 1024, which nginx -t does. */
function unprivileged(objects: readonly Manifest[]): readonly Manifest[] {
  const text = JSON.stringify(objects);
  const higher = text.replace(/"(port|number)":(\d{1,3})(?!\d)/g, '"$1":20$2');
  return JSON.parse(higher) as readonly Manifest[];
}
